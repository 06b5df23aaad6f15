// SPDX-License-Identifier: MIT
// What nvcc takes and clang does not, written anew. Line numbers stay.
//
// Launches in device code. Clang has no `kernel<<<shape>>>(arguments)` inside
// functions of the device; they become
//
//   heddle::launch<decltype(&kernel), (&kernel)>(shape)(arguments)
//
// which cuda/include/heddle/device_launch.h defines. Launches of the host stay
// as they are, but for `<< <` and `>> >`, which become `<<<` and `>>>`.
//
// __noinline__, which is no word of clang's before version 15 and cannot be a
// macro: that would break __attribute__((__noinline__)) in the C++ library.
#ifndef CC_SOURCE_REWRITE_H
#define CC_SOURCE_REWRITE_H

#include <stdbool.h>
#include <stddef.h>

// False if nothing has to be written anew. Else *out gets the new text, which the caller
// gives back with free. Text that is no C++ comes out as it is.
bool source_rewrite(const char *text, size_t length, char **out, size_t *out_length);

#endif
