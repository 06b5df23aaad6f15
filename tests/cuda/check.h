// SPDX-License-Identifier: MIT
// What the programs here share, in the way of samples' helper headers.
#ifndef CHECK_H
#define CHECK_H

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    cudaError_t error_ = (call);                                                          \
    if (error_ != cudaSuccess) {                                                          \
      fprintf(stderr, "%s:%d: %s: %s (%s)\n", __FILE__, __LINE__, #call,                  \
              cudaGetErrorString(error_), cudaGetErrorName(error_));                      \
      exit(EXIT_FAILURE);                                                                 \
    }                                                                                     \
  } while (0)

#define EXPECT(condition)                                                \
  do {                                                                   \
    if (!(condition)) {                                                  \
      if (failures++ < 5)                                                \
        fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                    \
  } while (0)

static int failures = 0;

static inline int finish(const char *name) {
  printf("%s: %s\n", name, failures ? "FAILED" : "PASSED");
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

static inline bool close_to(float a, float b) {
  return fabsf(a - b) <= 1e-4f * (1.0f + fabsf(b));
}

#endif
