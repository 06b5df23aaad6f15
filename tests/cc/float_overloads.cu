// SPDX-License-Identifier: MIT
// C++ overloads of mathematical functions for float: on the device they exist, compute in float,
// and agree with the functions of C.
#include <cmath>
#include <cstdio>
#include <type_traits>

#include "check.h"

#define FUNCTIONS_1(X)                                                                         \
  X(acosh)                                                                                     \
  X(asinh) X(atanh) X(cbrt) X(erf) X(erfc) X(exp2) X(expm1) X(lgamma) X(log1p) X(log2) X(logb) \
      X(nearbyint) X(rint) X(round) X(tgamma) X(trunc) X(ilogb) X(lrint) X(lround) X(llrint)   \
          X(llround)
#define FUNCTIONS_2(X) X(copysign) X(fdim) X(fmax) X(fmin) X(hypot) X(nextafter) X(remainder)

#define COMPARE(name, by_overload, by_name)                                            \
  static_assert(std::is_same<decltype(by_overload), decltype(by_name)>::value, #name); \
  *wrong += (by_overload) != (by_name) && !((by_name) != (by_name));                   \
  *count += 1;
#define COMPARE_1(name) COMPARE(name, name(a), name##f(a)) COMPARE(name, std::name(a), name##f(a))
#define COMPARE_2(name) COMPARE(name, name(a, b), name##f(a, b))

__global__ void compare(float a, float b, int *count, int *wrong) {
  FUNCTIONS_1(COMPARE_1)
  FUNCTIONS_2(COMPARE_2)
  COMPARE(scalbn, scalbn(a, 3), scalbnf(a, 3))
  COMPARE(scalbln, scalbln(a, 3L), scalblnf(a, 3L))
  COMPARE(fma, fma(a, b, a), fmaf(a, b, a))
  int first, second;
  COMPARE(remquo, remquo(a, b, &first), remquof(a, b, &second))
  *wrong += first != second;
  *wrong += fmax(a, b) != (a > b ? a : b);
}

int main() {
  int *numbers;
  CUDA(cudaMallocManaged(&numbers, 2 * sizeof(int)));
  numbers[0] = numbers[1] = 0;
  const float values[] = {0.3f, 1.5f, -2.5f, 7.25f};
  for (float a : values)
    for (float b : values) compare<<<1, 1>>>(a, b, &numbers[0], &numbers[1]);
  CUDA(cudaDeviceSynchronize());
  CHECK(numbers[0] == 16 * (2 * 22 + 7 + 4), "%d comparisons", numbers[0]);
  CHECK(!numbers[1], "%d differ", numbers[1]);
  return check_end();
}
