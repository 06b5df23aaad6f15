// SPDX-License-Identifier: MIT
// refused: 14: 'number', which names blockIdx or gridDim, is called by host code, too
__host__ __device__ inline int number(int otherwise) {
#ifdef __CUDA_ARCH__
  return blockIdx.x + 0 * otherwise;
#else
  return otherwise;
#endif
}

__global__ void count(int *a) { a[number(0)] += 1; }

void run(int *a) {
  int first = number(0);
  count<<<8, 1>>>(a + first);
}
