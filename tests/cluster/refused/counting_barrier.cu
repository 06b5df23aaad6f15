// SPDX-License-Identifier: MIT
// refused: 6: a barrier that some threads return before
__global__ void votes(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int count = __syncthreads_count(in[i] > 0);
  out[blockIdx.x] = count;
}

void run(const int *in, int *out, int n) { votes<<<(n + 63) / 64, 64>>>(in, out, n); }
