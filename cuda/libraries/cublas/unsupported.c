// SPDX-License-Identifier: MIT
// Functions of cuBLAS that are not provided: each prints its name and returns NOT_SUPPORTED.
#include <stdio.h>

// CUBLAS_STATUS_NOT_SUPPORTED; arguments do not matter.
#define UNSUPPORTED(name)                                            \
  __attribute__((visibility("default"))) int name(void) {            \
    fprintf(stderr, "heddle: cuBLAS: " #name " is not supported\n"); \
    return 15;                                                       \
  }
#include "unsupported.def"
