// SPDX-License-Identifier: MIT
// Two versions of a program, by -DROUNDS: more rounds execute more instructions, more of
// them per cycle, and take longer.
__global__ void work(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = x[i];
  for (int round = 0; round < ROUNDS; round++) value = value * 0.5f + 1;
  x[i] = value;
}

int main() {
  const int n = 4096;
  float *x;
  cudaMalloc(&x, n * sizeof *x);
  cudaMemset(x, 0, n * sizeof *x);
  work<<<n / 128, 128>>>(x, n);
  return cudaDeviceSynchronize() != cudaSuccess;
}
