// SPDX-License-Identifier: MIT
// min and max of two types give the type that CUDA's overloads give, in kernels
// and on the host, whatever else is called min.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "check.h"

using namespace std;

template <class Wanted, class A, class B>
__host__ __device__ double both(A a, B b) {
  static_assert(is_same<decltype(min(a, b)), Wanted>::value, "the type of min");
  static_assert(is_same<decltype(max(a, b)), Wanted>::value, "the type of max");
  return (double)min(a, b) * 1000 + (double)max(a, b);
}

enum { RESULTS = 13 };

__host__ __device__ void all(double *out, float f, double d, int i, unsigned int u, short s,
                             long l, unsigned long long ull) {
  int at = 0;
  out[at++] = both<float>(f, f + 1);
  out[at++] = both<double>(d, d - 1);
  out[at++] = both<double>(f, d);
  out[at++] = both<double>(d, f);
  out[at++] = both<int>(i, i + 4);
  out[at++] = both<unsigned int>(i, u);
  out[at++] = both<unsigned int>(u, i);
  out[at++] = min(s, i);
  out[at++] = both<long>(l, l - 1);
  out[at++] = both<unsigned long long>(ull, ull * 2);
  out[at++] = min(f, (float)NAN);
  out[at++] = max((double)NAN, d);
  out[at++] = fmaxf(f, 3.0f) + fmin(d, (double)f);
}

__global__ void on_device(double *out) {
  all(out, 2.5f, 7.25, -3, 8u, 5, 40, 50);
}

int main() {
  double host[RESULTS], *device;
  all(host, 2.5f, 7.25, -3, 8u, 5, 40, 50);
  CUDA(cudaMallocManaged(&device, sizeof host));
  on_device<<<1, 1>>>(device);
  CUDA(cudaDeviceSynchronize());
  const double wanted[RESULTS] = {2503.5,           6257.25, 2507.25, 2507.25, -2999, 8000 + 4294967293.0,
                                  8000 + 4294967293.0, -3,   39040,   50100,   2.5,   7.25,
                                  5.5};
  for (int i = 0; i < RESULTS; i++) {
    CHECK(device[i] == wanted[i], "device, %d: %.17g, not %.17g", i, device[i], wanted[i]);
    CHECK(host[i] == wanted[i], "host, %d: %.17g, not %.17g", i, host[i], wanted[i]);
  }
  return check_end();
}
