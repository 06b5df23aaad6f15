// SPDX-License-Identifier: MIT
// refused: 11: a cooperative launch
__device__ void meet();

__global__ void work(float *a) {
  a[blockIdx.x] = 1;
}

void run(float *a) {
  void *arguments[] = {&a};
  cudaLaunchCooperativeKernel((const void *)work, dim3(4), dim3(64), arguments, 0, 0);
}
