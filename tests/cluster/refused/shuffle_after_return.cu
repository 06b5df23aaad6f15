// SPDX-License-Identifier: MIT
// refused: 5: some threads return here before the others __shfl_down_sync
__global__ void sums(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sum = in[i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x % 32 == 0) out[i / 32] = sum;
}

void run(const int *in, int *out, int n) { sums<<<(n + 63) / 64, 64>>>(in, out, n); }
