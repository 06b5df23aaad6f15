// SPDX-License-Identifier: MIT
// Atomics that have waited in a store queue.
#ifndef ISA_EXEC_ATOMIC_H
#define ISA_EXEC_ATOMIC_H

#include "isa/store_queue.h"

void atomic_apply_pending(const PendingStore *pending);

#endif
