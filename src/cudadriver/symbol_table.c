// SPDX-License-Identifier: MIT
// A separate file, without the declarations of the functions' parameters.
#include "cudadriver/symbols.h"

#include <stddef.h>

#define SYMBOL(name, since, function, per_thread) AnyFunction function, per_thread;
#include "cudadriver/symbols.def"
#undef SYMBOL

const Symbol symbols[] = {
#define SYMBOL(name, since, function, per_thread) {#name, since, function, per_thread},
#include "cudadriver/symbols.def"
#undef SYMBOL
    {NULL, 0, NULL, NULL},
};
