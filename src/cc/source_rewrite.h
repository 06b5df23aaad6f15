// SPDX-License-Identifier: MIT
// Rewrites source that nvcc accepts and clang does not. Line numbers are preserved.
//
// Launches in device code: clang does not support `kernel<<<shape>>>(arguments)` in device
// functions; they become
//
//   ({ struct heddle_child { using launcher = heddle::Launcher<
//        decltype(heddle::kernel_of<n>(&kernel, 0)), (&kernel)>; };
//      typename heddle_child::launcher(shape); })(arguments)
//
// in one line, where n is the number of arguments, which tells overloaded kernels apart
// (cuda/include/heddle/device_launch.h). Launches in host code are unchanged,
// except that `<< <` and `>> >` become `<<<` and `>>>`.
//
// __noinline__: clang supports it from version 15, and it cannot be a macro, which would
// break __attribute__((__noinline__)) in the C++ library.
//
// Inline assembly of device functions: nvcc accepts registers with one mark, as in
// asm("mov.u32 %0, %laneid;" : "=r"(lane)), clang wants two.
//
// `__shared__ alignas(16)` becomes `__shared__ __align__(16)`.
#ifndef CC_SOURCE_REWRITE_H
#define CC_SOURCE_REWRITE_H

#include <stdbool.h>
#include <stddef.h>

// Returns false if nothing has to be rewritten. Otherwise *out is the new text, which the
// caller frees with free. Text that is not C++ is copied unchanged.
bool source_rewrite(const char *text, size_t length, char **out, size_t *out_length);

// The same for an analysis of the text, in which every byte stays in its place: launches in
// device code are unchanged, and __noinline__ becomes spaces. *out has `length` bytes.
bool source_rewrite_in_place(const char *text, size_t length, char **out);

#endif
