// SPDX-License-Identifier: MIT
// Indices in unrolled loops: products with sums that contain the loop's variable, of either sign,
// by constants and by numbers of the host, of several loops, and unsigned ones that wrap around.
#include <vector>

#include "check.h"

enum { KINDS = 8, THREADS = 64, ELEMENTS = 1 << 15, MIDDLE = ELEMENTS / 2 };

struct Three {
  int x, y, z;
};

// What the loops read from p; n may be negative.
template <int KIND>
__host__ __device__ unsigned all(const int *p, int n, int thread) {
  const Three *three = (const Three *)(p - MIDDLE);
  unsigned sum = 0;
  for (int i = 0; i < 9; i++) {
    unsigned wrapped = (unsigned)(n + i) * 0x40000001u;  // four times that is 4 (n + i)
    int kept = (n - i) * 17 + thread;
    for (int j = 3; j >= -2; j -= 2) {
      int value = 0;
      if (KIND == 0) value = p[(n + i) * 61 + thread];
      if (KIND == 1) value = p[kept];
      if (KIND == 2) value = p[((n * 3 + i) * 7 + j) * 11 - thread];
      if (KIND == 3) value = p[7 - n * (i - thread)];
      if (KIND == 4) value = three[(j + 2) * (i + 3) + thread].z;
      if (KIND == 5) value = three[(i + 4) * 5 + thread].y;
      if (KIND == 6) value = p[wrapped * 4 % 4096u];
      if (KIND == 7) value = p[(i - n) * (thread - j) + (i - j) * n];
      sum = sum * 31 + (unsigned)value;
    }
  }
  for (int i = 5; i < 10; i++) sum = sum * 31 + (unsigned)p[(i - n) * 23 + thread];
  return sum;
}

template <int KIND>
__global__ void kernel(unsigned *out, const int *p, int n) {
  out[threadIdx.x] = all<KIND>(p, n, (int)threadIdx.x);
}

template <int KIND>
static void compare(const int *device, const int *host, int n) {
  unsigned *out;
  CUDA(cudaMallocManaged(&out, THREADS * sizeof *out));
  kernel<KIND><<<1, THREADS>>>(out, device + MIDDLE, n);
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < THREADS; i++) {
    unsigned wanted = all<KIND>(host + MIDDLE, n, i);
    CHECK(out[i] == wanted, "%d, n %d, thread %d: %u, not %u", KIND, n, i, out[i], wanted);
  }
  CUDA(cudaFree(out));
}

int main() {
  std::vector<int> values(ELEMENTS);
  for (int i = 0; i < ELEMENTS; i++) values[i] = (int)(i * 2654435761u >> 3);
  int *device;
  CUDA(cudaMalloc(&device, ELEMENTS * sizeof *device));
  CUDA(cudaMemcpy(device, values.data(), ELEMENTS * sizeof *device, cudaMemcpyHostToDevice));
  for (int n : {-9, -1, 0, 1, 4, 13}) {
    compare<0>(device, values.data(), n);
    compare<1>(device, values.data(), n);
    compare<2>(device, values.data(), n);
    compare<3>(device, values.data(), n);
    compare<4>(device, values.data(), n);
    compare<5>(device, values.data(), n);
    compare<6>(device, values.data(), n);
    compare<7>(device, values.data(), n);
  }
  return check_end();
}
