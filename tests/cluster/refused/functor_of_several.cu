// SPDX-License-Identifier: MIT
// refused: 12: 'operator()' means functions here that name blockIdx
struct Place {
  __device__ int operator()(int i) const { return i + blockIdx.x; }
};
struct Plain {
  __device__ int operator()(int i) const { return i; }
};

template <class F>
__device__ int apply(F f, int i) {
  return f(i);
}

__global__ void store(int *out) {
  out[apply(Place(), 1)] = apply(Plain(), 1);
}

void run(int *out) { store<<<8, 1>>>(out); }
