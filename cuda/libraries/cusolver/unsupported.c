// SPDX-License-Identifier: MIT
// Functions of cuSOLVER that are not provided: each prints its name and returns NOT_SUPPORTED.
#include <stdio.h>

// CUSOLVER_STATUS_NOT_SUPPORTED; arguments do not matter.
#define UNSUPPORTED(name)                                              \
  __attribute__((visibility("default"))) int name(void) {              \
    fprintf(stderr, "heddle: cuSOLVER: " #name " is not supported\n"); \
    return 9;                                                          \
  }
#include "unsupported.def"
