// SPDX-License-Identifier: MIT
// Kernels declared in unusual ways: attributes anywhere, trailing return types, names
// apart from their parameters, text beyond ASCII, #line, no use of their parameters.
#include "check.h"

/* Größe, naïve, 数 */
__global__
__launch_bounds__(64, 2)
void
wide // (a comment with a bracket
(
  int *a, // für alle
  int n
)
{ // the body
  if (blockIdx.x >= (unsigned)n) return; a[blockIdx.x] += 2; }

#line 7 "spellings.generated"
__global__ auto trailing(int *a) -> void { a[blockIdx.x] += 4; }
__global__ void /* none */ __launch_bounds__(128) unnamed(int *) {}
__attribute__((unused)) static __global__ void attributed(int *a) { a[blockIdx.x] += 8; }
template <int THREADS> __global__ __launch_bounds__(THREADS) void bounded(int *a) {
  a[blockIdx.x] += THREADS; }

struct Place {
  int offset;
  __device__ static int number() { return blockIdx.x; }
  __device__ int get() const { return number() + offset; }
};
template <class P> __device__ int through(const P &place) { return place.get(); }
template <class P> __global__ void layered(P place, int *a) { a[through(place)] += 16; }

// A parameter that is named like a built-in variable is none.
__device__ int twice(uint3 blockIdx) { return 2 * blockIdx.x; }
__global__ void own_name(int *a) { a[twice(make_uint3(3, 0, 0)) + blockIdx.x - 6] += 32; }

int main() {
  Array<int> a(40);
  wide<<<40, 1>>>(a, 40);
  trailing<<<40, 1>>>(a);
  unnamed<<<40, 1>>>(a);
  attributed<<<40, 1>>>(a);
  bounded<64><<<40, 1>>>(a);
  layered<<<40, 1>>>(Place{0}, (int *)a);
  layered<Place><<<40, 1>>>(Place{0}, a);
  own_name<<<40, 1>>>(a);
  for (int value : a.get()) CHECK(value == 2 + 4 + 8 + 64 + 32 + 32);
  return verdict();
}
