// SPDX-License-Identifier: MIT
// For programs that check themselves: CHECK(condition, format, ...) counts and
// says what is wrong, check_end() is what main returns.
#ifndef TESTS_CC_CHECK_H
#define TESTS_CC_CHECK_H

#include <stdio.h>
#include <stdlib.h>

static int check_failures;

#define CHECK(condition, ...)                                         \
  do {                                                                \
    if (!(condition) && check_failures++ < 10) {                      \
      fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition); \
      fprintf(stderr, __VA_ARGS__);                                   \
      fputc('\n', stderr);                                            \
    }                                                                 \
  } while (0)

#define CUDA(call)                                                                               \
  do {                                                                                           \
    cudaError_t error_ = (call);                                                                 \
    if (error_ != cudaSuccess) {                                                                 \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_)); \
      exit(1);                                                                                   \
    }                                                                                            \
  } while (0)

static int check_end(void) {
  if (check_failures)
    fprintf(stderr, "FAILED: %d\n", check_failures);
  else
    puts("PASSED");
  return check_failures != 0;
}

#endif
