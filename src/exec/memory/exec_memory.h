// SPDX-License-Identifier: MIT
// The files that memory instructions are spread over.
//
//   ld ldu          exec_memory_load.c
//   st              exec_memory_store.c
//   prefetch cp     exec_memory.c
//   cp.async.bulk, cp.async.mbarrier.arrive   exec_mbarrier.c
#ifndef EXEC_MEMORY_EXEC_MEMORY_H
#define EXEC_MEMORY_EXEC_MEMORY_H

#include "exec/execute.h"

// The form's type and vector have been checked.
ExecFn exec_find_load(const Form *form);
ExecFn exec_find_store(const Form *form);
// Of cp.async those that work with barriers; and bulk copies.
ExecFn exec_find_copy_async(const Form *form);

ExecFn exec_find_copy_tensor(const Form *form);  // cp.async.bulk.tensor
// Tells an mbarrier of bytes of a bulk copy, when they have arrived.
void bulk_complete(ExecContext *context, const Warp *warp, int lane, uint8_t *word, uint32_t bytes);

#endif
