// SPDX-License-Identifier: MIT
// The files that memory instructions are spread over.
//
//   ld ldu          exec_memory_load.c
//   st              exec_memory_store.c
//   prefetch cp     exec_memory.c
//   cp.async.bulk, st.async, red.async   exec_bulk.c
//   cp.async.bulk.tensor                 exec_tensor_copy.c
//   tensormap                            exec_tensor_map.c
//   cp.async.mbarrier.arrive             exec_mbarrier.c
#ifndef EXEC_MEMORY_EXEC_MEMORY_H
#define EXEC_MEMORY_EXEC_MEMORY_H

#include "exec/execute.h"

// The form's type and vector have been checked.
ExecFn exec_find_load(const Form *form);
ExecFn exec_find_store(const Form *form);
ExecFn exec_find_copy_arrive(const Form *form);  // cp.async.mbarrier.arrive
ExecFn exec_find_copy_bulk(const Form *form);    // cp.async.bulk, cp.reduce.async.bulk
ExecFn exec_find_store_async(const Form *form);
ExecFn exec_find_reduce_async(const Form *form);
void exec_bulk_prefetch(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask);
ExecFn exec_find_copy_tensor(const Form *form);  // cp.async.bulk.tensor
ExecFn exec_find_tensor_map(const Form *form);   // tensormap
// Tells an mbarrier of bytes of a bulk copy, when they have arrived.
void bulk_complete(ExecContext *context, const Warp *warp, int lane, uint8_t *word, uint32_t bytes);

#endif
