// SPDX-License-Identifier: MIT
// Functions of cuSPARSE that are not provided: each prints its name and returns NOT_SUPPORTED.
#include <stdio.h>

// CUSPARSE_STATUS_NOT_SUPPORTED; arguments do not matter.
#define UNSUPPORTED(name)                                              \
  __attribute__((visibility("default"))) int name(void) {              \
    fprintf(stderr, "heddle: cuSPARSE: " #name " is not supported\n"); \
    return 10;                                                         \
  }
#include "unsupported.def"
