// SPDX-License-Identifier: MIT
// Objects that are called like functions and use blockIdx: by value, by pointer, as members, as
// template arguments, in lambdas, with overloads and templates.
#include "check.h"

struct Place {
  int width;
  __device__ int operator()(int i) const { return blockIdx.x * width + i; }
  __device__ int operator () ( ) const { return (*this)(0); }
  template <class T>
  __device__ T operator()(T first, T second) {
    return first + second * (T)gridDim.x;
  }
  __host__ __device__ int twice(int i) const { return 2 * i; }
};

template <class T>
struct Scaled {
  T factor;
  Place place;
  __device__ T operator()(T i) const;
};

template <class T>
__device__ T Scaled<T>::operator()(T i) const {
  return factor * place((int)i);
}

// No index, and none is passed on.
struct Plain {
  __device__ int operator()(int i) const { return i; }
};

template <class F>
__device__ int apply(F f, int i) {
  return f(i);
}

template <class F>
__device__ int apply_plain(const F &f, int i) {
  return f(i);
}

template <class F>
__global__ void fill(int *out, F f) {
  out[Place{(int)blockDim.x}(threadIdx.x)] += f(threadIdx.x);
}

__global__ void check_all(int *out, Place place, const Place *pointer) {
  Place local = {(int)blockDim.x};
  Scaled<int> scaled = {3, local};
  auto with_lambda = [=](int i) { return local(i); };
  auto with_references = [&](int i) { return scaled(i) + blockIdx.x; };
  int at = place(threadIdx.x), first = place.operator()();
  out[at] += place.twice(at) + (first + (int)threadIdx.x == at) + (*pointer)((int)threadIdx.x) +
             pointer->operator()((int)threadIdx.x) + scaled(threadIdx.x) + apply(local, threadIdx.x) +
             apply_plain(Plain(), 1) + with_lambda(threadIdx.x) + with_references(threadIdx.x) +
             local((int)blockIdx.x, 2) + Plain{}(1);
}

int main() {
  const int ctas = 50, threads = 32, n = ctas * threads;
  Array<int> out(n), filled(n);
  Array<Place> places(1, Place{threads});
  check_all<<<ctas, threads>>>(out, Place{threads}, places);
  fill<<<ctas, threads>>>(filled, Scaled<int>{5, Place{threads}});
  std::vector<int> result = out.get(), scaled = filled.get();
  for (int i = 0; i < n; i++) {
    CHECK(result[i] == 2 * i + 1 + i + i + 3 * i + i + 1 + i + 3 * i + i / threads + i / threads + 2 * ctas + 1);
    CHECK(scaled[i] == 5 * i);
  }
  return verdict();
}
