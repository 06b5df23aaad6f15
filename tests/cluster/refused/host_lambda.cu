// SPDX-License-Identifier: MIT
// refused: 5: calls a lambda of the host
template <typename F>
__global__ void apply(F f, int *out) {
  out[f(threadIdx.x)] = 1;
}

void run(int *out) {
  auto place = [] __device__(int i) { return i + blockIdx.x * blockDim.x; };
  apply<decltype(place)><<<8, 32>>>(place, out);
}
