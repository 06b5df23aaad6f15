// SPDX-License-Identifier: MIT
// Unsupported calls: they report their name and fail.
#include "device/process/process.h"

#define UNSUPPORTED(name)                                               \
  __attribute__((visibility("default"))) int name(void) {               \
    device_print(device_of_process(), "%s", #name " is not supported"); \
    return DEVICE_NOT_SUPPORTED;                                        \
  }
#include "cudadriver/unsupported.def"
