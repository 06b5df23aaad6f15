// SPDX-License-Identifier: MIT
// Built-in kernels, linked into a program whose kernels request copies and fills
// (launched by runtime/native_copy.c).
#ifndef DEVICE_DEVICE_LIBRARY_H
#define DEVICE_DEVICE_LIBRARY_H

#include <stdbool.h>

// PTX.
extern const char device_library_copies[], device_library_fills[];

// Whether a program's text calls for it.
bool device_library_is_wanted(const char *text);

#endif
