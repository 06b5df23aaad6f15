// SPDX-License-Identifier: MIT
// refused: 4: inline PTX ends threads
__global__ void stop(int *out) {
  if (threadIdx.x > 3) asm volatile("exit;");
  out[blockIdx.x * 4 + threadIdx.x] = 1;
}

void run(int *out) { stop<<<8, 32>>>(out); }
