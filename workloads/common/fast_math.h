// SPDX-License-Identifier: MIT
// Functions that a GPU has instructions for, right to about 20 bits on the device and
// to all of them on the host.
#ifndef WORKLOADS_FAST_MATH_H
#define WORKLOADS_FAST_MATH_H

#include <cmath>

__host__ __device__ static inline float fast_exp(float x) {
#ifdef __CUDA_ARCH__
  return __expf(x);
#else
  return expf(x);
#endif
}

__host__ __device__ static inline float fast_log(float x) {
#ifdef __CUDA_ARCH__
  return __logf(x);
#else
  return logf(x);
#endif
}

// Of angles from -pi to pi.
__host__ __device__ static inline void fast_sine_cosine(float angle, float *sine, float *cosine) {
#ifdef __CUDA_ARCH__
  __sincosf(angle, sine, cosine);
#else
  *sine = sinf(angle);
  *cosine = cosf(angle);
#endif
}

#endif
