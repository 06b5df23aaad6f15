// SPDX-License-Identifier: MIT
// Apart from everything that knows what the functions take.
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
