// SPDX-License-Identifier: MIT
// Atomics that have waited in a store queue.
#ifndef EXEC_EXEC_ATOMIC_H
#define EXEC_EXEC_ATOMIC_H

#include "exec/store_queue.h"

void atomic_apply_pending(const PendingStore *pending);

#endif
