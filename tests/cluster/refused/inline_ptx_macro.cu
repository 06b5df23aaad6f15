// SPDX-License-Identifier: MIT
// refused: 8: inline PTX reads %ctaid
#define SPECIAL(name, value) asm volatile("mov.u32 %0, %%" name ";" : "=r"(value))
#define GRID(value) asm("mov.u32 %0, %%nctaid.x;" : "=r"(value))

__global__ void mark(int *out) {
  int count;
  GRID(count);
  out[blockIdx.x] = count;
}

void run(int *out) { mark<<<8, 1>>>(out); }
