// SPDX-License-Identifier: MIT
// Atomics: of a warp, those that have waited in a store queue, and reductions of bytes in a row.
#ifndef EXEC_MEMORY_EXEC_ATOMIC_H
#define EXEC_MEMORY_EXEC_ATOMIC_H

#include "exec/memory/store_queue.h"

void exec_atomic(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask);
void atomic_apply_pending(const PendingStore *pending);

// Whether there is an operation of that kind on elements of that type.
bool atomic_exists(const Form *form);
// Reduces elements that follow one another into those at `at`.
void atomic_apply_bytes(const Form *form, uint8_t *at, const uint8_t *data, uint32_t bytes,
                        bool is_global);

#endif
