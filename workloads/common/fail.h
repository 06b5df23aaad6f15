// SPDX-License-Identifier: MIT
// How a workload gives up. Exit codes: 0 the result is right, 1 it is not or
// CUDA failed, 2 a mistake on the command line or in an input file.
#ifndef WORKLOADS_FAIL_H
#define WORKLOADS_FAIL_H

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

enum { EXIT_WRONG = 1, EXIT_INPUT = 2 };

[[noreturn]] static inline void fail(int exit_code, const char *format, ...) {
  va_list list;
  va_start(list, format);
  fprintf(stderr, "error: ");
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  va_end(list);
  exit(exit_code);
}

// Around every call of CUDA, and as CUDA(cudaGetLastError()) behind a launch.
#define CUDA(call)                                                 \
  do {                                                             \
    cudaError_t cuda_error_ = (call);                              \
    if (cuda_error_ != cudaSuccess)                                \
      fail(EXIT_WRONG, "%s:%d: %s: %s", __FILE__, __LINE__, #call, \
           cudaGetErrorString(cuda_error_));                       \
  } while (0)

#endif
