// SPDX-License-Identifier: MIT
// Functions that device programs call without a PTX definition: vprintf,
// __assertfail, malloc, free, and the device runtime (device_runtime.h).
//
// A native runs at once for all lanes of the mask, in lane order, while the
// caller's entry is on top of the warp's stack.
//
// malloc and free change the device's list of allocations. Only one SM may be
// stepped at a time while a program uses them, and the owner of several
// contexts must call exec_forget_allocations on each of them afterwards; the
// context that calls is taken care of.
#ifndef RUNTIME_NATIVE_H
#define RUNTIME_NATIVE_H

#include "exec/execute.h"

// NULL if there is no native of that name.
NativeFn native_find(const char *name);

// Argument k of one lane, zero-extended; 0 if the call site has fewer. At most
// the first 8 bytes of it.
uint64_t native_argument_u64(const Warp *warp, const CallSite *site, uint32_t k, int lane);
// The bytes of argument k; false if the call site has none of at least that many.
bool native_argument_bytes(const Warp *warp, const CallSite *site, uint32_t k, int lane, void *to,
                           uint32_t size_bytes);
// Sets the first result, if the call site takes one.
void native_set_result(const Warp *warp, const CallSite *site, int lane, uint64_t value);

// Formats as CUDA's printf does: arguments stand one behind the other at the
// generic address `arguments`, each aligned to its own size. Returns how many
// there were, or -1 where the format or an argument cannot be read.
int native_format(const ExecContext *context, const Warp *warp, int lane, uint64_t format,
                  uint64_t arguments, char *text, size_t capacity, size_t *length);

// A NUL-terminated string at a generic address, cut to capacity - 1 bytes;
// false if it cannot be read.
bool native_read_string(const ExecContext *context, const Warp *warp, int lane, uint64_t address,
                        char *text, size_t capacity);

#endif
