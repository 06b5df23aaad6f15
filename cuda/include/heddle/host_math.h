// SPDX-License-Identifier: MIT
// Functions that CUDA also gives to host code, beyond the C library's.
// min and max take the usual conversions, as nvcc's overloads do.
#ifndef HEDDLE_HOST_MATH_H
#define HEDDLE_HOST_MATH_H

#ifdef __CUDA__
#define HEDDLE_BOTH static __inline__ __host__ __device__ __attribute__((unused))
#define HEDDLE_HOST static __inline__ __host__ __attribute__((unused))

// clang's headers have min and max of int for the device.
HEDDLE_HOST int min(int a, int b) {
  return a < b ? a : b;
}
HEDDLE_HOST int max(int a, int b) {
  return a > b ? a : b;
}
#define HEDDLE_MIN_MAX(result, left, right)               \
  HEDDLE_BOTH result min(left a, right b) {               \
    return (result)a < (result)b ? (result)a : (result)b; \
  }                                                       \
  HEDDLE_BOTH result max(left a, right b) {               \
    return (result)a > (result)b ? (result)a : (result)b; \
  }
HEDDLE_MIN_MAX(unsigned int, unsigned int, unsigned int)
HEDDLE_MIN_MAX(unsigned int, int, unsigned int)
HEDDLE_MIN_MAX(unsigned int, unsigned int, int)
HEDDLE_MIN_MAX(long, long, long)
HEDDLE_MIN_MAX(unsigned long, unsigned long, unsigned long)
HEDDLE_MIN_MAX(unsigned long, long, unsigned long)
HEDDLE_MIN_MAX(unsigned long, unsigned long, long)
HEDDLE_MIN_MAX(long long, long long, long long)
HEDDLE_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
HEDDLE_MIN_MAX(unsigned long long, long long, unsigned long long)
HEDDLE_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef HEDDLE_MIN_MAX
HEDDLE_BOTH float min(float a, float b) {
  return fminf(a, b);
}
HEDDLE_BOTH float max(float a, float b) {
  return fmaxf(a, b);
}
HEDDLE_BOTH double min(double a, double b) {
  return fmin(a, b);
}
HEDDLE_BOTH double max(double a, double b) {
  return fmax(a, b);
}
HEDDLE_BOTH double min(float a, double b) {
  return fmin((double)a, b);
}
HEDDLE_BOTH double max(float a, double b) {
  return fmax((double)a, b);
}
HEDDLE_BOTH double min(double a, float b) {
  return fmin(a, (double)b);
}
HEDDLE_BOTH double max(double a, float b) {
  return fmax(a, (double)b);
}

HEDDLE_HOST float rsqrtf(float a) {
  return 1.0f / sqrtf(a);
}
HEDDLE_HOST double rsqrt(double a) {
  return 1.0 / sqrt(a);
}
HEDDLE_BOTH float rsqrt(float a) {
  return rsqrtf(a);
}
HEDDLE_HOST float rcbrtf(float a) {
  return 1.0f / cbrtf(a);
}
HEDDLE_HOST double rcbrt(double a) {
  return 1.0 / cbrt(a);
}
HEDDLE_HOST double sinpi(double a) {
  return sin(fmod(a, 2.0) * 3.14159265358979323846);
}
HEDDLE_HOST double cospi(double a) {
  return cos(fmod(a, 2.0) * 3.14159265358979323846);
}
HEDDLE_HOST float sinpif(float a) {
  return (float)sinpi((double)a);
}
HEDDLE_HOST float cospif(float a) {
  return (float)cospi((double)a);
}
HEDDLE_HOST double normcdf(double a) {
  return 0.5 * erfc(a * -0.70710678118654752440);
}
HEDDLE_HOST float normcdff(float a) {
  return (float)normcdf((double)a);
}
HEDDLE_HOST float fdividef(float a, float b) {
  return a / b;
}
HEDDLE_HOST double fdivide(double a, double b) {
  return a / b;
}
HEDDLE_HOST unsigned int umin(unsigned int a, unsigned int b) {
  return a < b ? a : b;
}
HEDDLE_HOST unsigned int umax(unsigned int a, unsigned int b) {
  return a > b ? a : b;
}
HEDDLE_HOST long long llmin(long long a, long long b) {
  return a < b ? a : b;
}
HEDDLE_HOST long long llmax(long long a, long long b) {
  return a > b ? a : b;
}
#undef HEDDLE_BOTH
#undef HEDDLE_HOST
#endif

#endif
