// SPDX-License-Identifier: MIT
// Atomics that have waited in a store queue.
#ifndef EXEC_MEMORY_EXEC_ATOMIC_H
#define EXEC_MEMORY_EXEC_ATOMIC_H

#include "exec/memory/store_queue.h"

void atomic_apply_pending(const PendingStore *pending);

#endif
