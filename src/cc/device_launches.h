// SPDX-License-Identifier: MIT
// Launches in device code. Clang has no `kernel<<<shape>>>(arguments)` inside
// functions of the device; they are written anew as
//
//   heddle::launch<decltype(&kernel), (&kernel)>(shape)(arguments)
//
// which cuda/include/heddle/device_launch.h defines. Launches of the host stay
// as they are, but for `<< <` and `>> >`, which nvcc takes and clang does not:
// these become `<<<` and `>>>`. Line numbers stay.
#ifndef CC_DEVICE_LAUNCHES_H
#define CC_DEVICE_LAUNCHES_H

#include <stdbool.h>
#include <stddef.h>

// False if nothing has to be written anew. Else *out gets the new text, which the caller
// gives back with free. Text that is no C++ comes out as it is.
bool device_launches_rewrite(const char *text, size_t length, char **out, size_t *out_length);

#endif
