// SPDX-License-Identifier: MIT
// refused: 11: its address is taken here
__global__ void one(int *out) { out[blockIdx.x] = 1; }

template <typename Kernel>
void timed(Kernel kernel, int *out) {
  kernel<<<8, 1>>>(out);
}

void run(int *out) {
  timed(one, out);
}
