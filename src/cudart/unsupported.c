// SPDX-License-Identifier: MIT
// Unsupported calls: they report their name and fail.
#include "cudart/api.h"

#define UNSUPPORTED(name)          \
  EXPORT int name(void) {          \
    return api_unsupported(#name); \
  }
#include "cudart/unsupported.def"
