// SPDX-License-Identifier: MIT
// What the programs here share, in the way of samples' helper headers.
#ifndef CHECK_H
#define CHECK_H

#include <cuda_runtime.h>

#include "expect.h"

#define CHECK(call)                                                                       \
  do {                                                                                    \
    cudaError_t error_ = (call);                                                          \
    if (error_ != cudaSuccess) {                                                          \
      fprintf(stderr, "%s:%d: %s: %s (%s)\n", __FILE__, __LINE__, #call,                  \
              cudaGetErrorString(error_), cudaGetErrorName(error_));                      \
      exit(EXIT_FAILURE);                                                                 \
    }                                                                                     \
  } while (0)

static inline bool close_to(float a, float b) {
  return fabsf(a - b) <= 1e-4f * (1.0f + fabsf(b));
}

#endif
