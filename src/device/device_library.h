// SPDX-License-Identifier: MIT
// Kernels of ours that a program gets linked in where its own kernels ask for
// copies and fills (runtime/native_copy.c launches them).
#ifndef DEVICE_DEVICE_LIBRARY_H
#define DEVICE_DEVICE_LIBRARY_H

#include <stdbool.h>

// PTX.
extern const char device_library_copies[], device_library_fills[];

// Whether a program's text calls for it.
bool device_library_is_wanted(const char *text);

#endif
