// SPDX-License-Identifier: MIT
// Calls that are known but not implemented: they name themselves and fail,
// whatever their arguments.
#include <stdio.h>

#include "device/device.h"

#define UNSUPPORTED(name)                                    \
  __attribute__((visibility("default"))) int name(void) {    \
    fflush(stdout);                                          \
    fprintf(stderr, "heddle: " #name " is not supported\n"); \
    return DEVICE_NOT_SUPPORTED;                             \
  }
#include "cudadriver/unsupported.def"
