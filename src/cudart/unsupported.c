// SPDX-License-Identifier: MIT
// Calls that are known but not implemented: they name themselves and fail,
// whatever their arguments.
#include "cudart/api.h"

#define UNSUPPORTED(name)          \
  EXPORT int name(void) {          \
    return api_unsupported(#name); \
  }
#include "cudart/unsupported.def"
