// SPDX-License-Identifier: MIT
// cudaLaunchKernelEx and cudaLaunchKernelExC, with and without attributes.
#include "check.h"

__global__ void add_value(int *a, long value) { a[blockIdx.x] += (int)value; }

template <class T>
__global__ void add_any(T *a, T value) {
  a[blockIdx.x] += value;
}

int main() {
  Array<int> a(40);
  cudaLaunchConfig_t how = {};
  how.gridDim = dim3(40);
  how.blockDim = dim3(1);
  CUDA(cudaLaunchKernelEx(&how, add_value, (int *)a, 3));
  CUDA(cudaLaunchKernelEx(&how, add_any<int>, (int *)a, 4));
  int *pointer = a;
  long value = 5;
  void *arguments[] = {&pointer, &value};
  CUDA(cudaLaunchKernelExC(&how, (const void *)add_value, arguments));
  cudaLaunchAttribute priority = {};
  priority.id = cudaLaunchAttributePriority;
  how.attrs = &priority;
  how.numAttrs = 1;
  CUDA(cudaLaunchKernelEx(&how, add_value, (int *)a, 6));
  for (int each : a.get()) CHECK(each == 18);
  return verdict();
}
