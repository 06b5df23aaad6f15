// SPDX-License-Identifier: MIT
// Functions that device programs call without a PTX definition: vprintf,
// __assertfail, malloc, free, and the device runtime (device_runtime.h).
//
// A native function is executed for all lanes of the mask in one step, in lane order,
// while the caller's entry is on top of the warp's stack.
//
// malloc and free change the device's list of allocations. SMs must not be simulated
// concurrently while a program uses them, and the owner of several contexts must call
// exec_forget_allocations on each of the others afterwards.
#ifndef RUNTIME_NATIVE_H
#define RUNTIME_NATIVE_H

#include "exec/execute.h"

// Returns NULL if there is no such native function.
NativeFn native_find(const char *name);

// Argument k of one lane, zero-extended; 0 if the call site has fewer. At most
// the first 8 bytes of it.
uint64_t native_argument_u64(const Warp *warp, const CallSite *site, uint32_t k, int lane);
// The bytes of argument k; false if the call site has none of at least that many.
bool native_argument_bytes(const Warp *warp, const CallSite *site, uint32_t k, int lane, void *to,
                           uint32_t size_bytes);
// Sets the first result, if the call site takes one.
void native_set_result(const Warp *warp, const CallSite *site, int lane, uint64_t value);

// Formats as CUDA's printf does: arguments are packed at the generic address `arguments`,
// each aligned to its size. Returns the number of arguments, or -1 if the format or an
// argument cannot be read.
int native_format(const ExecContext *context, const Warp *warp, int lane, uint64_t format,
                  uint64_t arguments, char *text, size_t capacity, size_t *length);

// Reads a NUL-terminated string at a generic address, truncated to capacity - 1 bytes;
// false if it cannot be read.
bool native_read_string(const ExecContext *context, const Warp *warp, int lane, uint64_t address,
                        char *text, size_t capacity);

#endif
