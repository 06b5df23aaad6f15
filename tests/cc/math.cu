// SPDX-License-Identifier: MIT
// CUDA's mathematical functions against the C library in long double, over many
// values of a range, in units in the last place. The bounds are at most those
// that CUDA's own documentation gives, or a little above what libclc reaches.
#include <math.h>

#include "check.h"

enum { COUNT = 4096 };

template <class T>
static long double ulps(T got, long double wanted) {
  if (isnan(wanted)) return isnan(got) ? 0 : 1e30L;
  if (isinf((T)wanted) || isinf(got)) return got == (T)wanted ? 0 : 1e30L;
  int bits = sizeof(T) == 4 ? 23 : 52, lowest = sizeof(T) == 4 ? -126 : -1022, exponent;
  frexpl(wanted, &exponent);
  if (wanted == 0 || exponent - 1 < lowest) exponent = lowest + 1;
  return fabsl((long double)got - wanted) / ldexpl(1.0L, exponent - 1 - bits);
}

// Values that cover the range evenly, its ends, and small numbers by powers.
template <class T>
static void fill(T *values, double low, double high) {
  for (int i = 0; i < COUNT; i++) {
    double share = (i + 0.37) / COUNT;
    values[i] = (T)(low + (high - low) * share);
    double small = pow(0.5, 20.0 * share) * (i & 8 ? low : high);
    if (i % 4 == 3 && small >= low && small <= high) values[i] = (T)small;
  }
  values[0] = (T)low, values[1] = (T)high;
}

template <class T, class Kernel, class Reference>
static void test(const char *name, Kernel kernel, Reference reference, double low, double high,
                 double bound) {
  static T a[COUNT], b[COUNT], out[COUNT];
  T *device;
  fill(a, low, high);
  for (int i = 0; i < COUNT; i++) b[i] = a[(i * 1237 + 11) % COUNT];
  CUDA(cudaMalloc(&device, 3 * sizeof a));
  CUDA(cudaMemcpy(device, a, sizeof a, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(device + COUNT, b, sizeof b, cudaMemcpyHostToDevice));
  kernel<<<COUNT / 256, 256>>>(device, device + COUNT, device + 2 * COUNT);
  CUDA(cudaMemcpy(out, device + 2 * COUNT, sizeof out, cudaMemcpyDeviceToHost));
  CUDA(cudaFree(device));
  long double worst = 0;
  int where = 0;
  for (int i = 0; i < COUNT; i++) {
    long double error = ulps(out[i], reference((long double)a[i], (long double)b[i]));
    if (error > worst) worst = error, where = i;
  }
  if (getenv("SHOW")) printf("%-12s %8.3Lf of %g\n", name, worst, bound);
  CHECK(worst <= bound, "%s(%.17g, %.17g) = %.17g is off by %Lg ulp", name, (double)a[where],
        (double)b[where], (double)out[where], worst);
}

__device__ float parts_of(float a) {
  int exponent;
  float mantissa = frexpf(a, &exponent);
  return mantissa + exponent;
}
static long double parts_of(long double a) {
  int exponent;
  long double mantissa = frexpl(a, &exponent);
  return mantissa + exponent;
}
__device__ float fraction_of(float a) {
  float whole;
  return modff(a, &whole);
}
static long double bessel_i0l(long double a) {
  long double sum = 1, term = 1;
  for (int k = 1; k < 400; k++) sum += term *= a * a / 4 / k / k;
  return sum;
}

#define FUNCTION(T, name, expression, wanted, low, high, bound)     \
  __global__ void kernel_##name(const T *as, const T *bs, T *out) { \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                  \
    T a = as[i], b = bs[i];                                         \
    (void)b;                                                        \
    out[i] = expression;                                            \
  }                                                                 \
  static void test_##name() {                                       \
    test<T>(                                                        \
        #name, kernel_##name,                                       \
        [](long double a, long double b) -> long double {           \
          (void)b;                                                  \
          return wanted;                                            \
        },                                                          \
        low, high, bound);                                          \
  }
#include "math_functions.def"
#undef FUNCTION

int main() {
#define FUNCTION(T, name, expression, wanted, low, high, bound) test_##name();
#include "math_functions.def"
  return check_end();
}
