// SPDX-License-Identifier: MIT
// What a launch has changed in device memory: the blocks that it wrote, with their contents before.
// Memory can go back to its state before the launch, and forward again.
//
//   page_log_begin     the log is empty; it knows the live allocations
//   page_log_note      before each store, also through store queues (StoreQueue.before)
//   page_log_swap      exchanges the contents of the blocks with those kept: back, and forward
//   again page_log_end       forgets them
//
// Only blocks that are written cost memory and time. Allocations may not change in between.
#ifndef EXEC_MEMORY_PAGE_LOG_H
#define EXEC_MEMORY_PAGE_LOG_H

#include "exec/memory/device_memory.h"
#include "exec/memory/store_queue.h"

enum { PAGE_LOG_BLOCK_BYTES = 4096 };

// Memory of the host behind one allocation, or behind several that share it.
typedef struct LoggedRange {
  uint8_t *start;
  uint64_t size_bytes;
  uint64_t *written;  // bits by block
} LoggedRange;

typedef struct LoggedBlock {
  uint8_t *at;
  uint32_t size_bytes;
  uint8_t *kept;
} LoggedBlock;

// Zeroed, it is empty.
typedef struct PageLog {
  LoggedRange *ranges;  // by address, none overlaps another
  uint32_t range_count, range_capacity;
  uint32_t last;  // range that was found last
  LoggedBlock *blocks;
  uint32_t block_count, block_capacity;
} PageLog;

void page_log_begin(PageLog *log, const DeviceMemory *memory);
void page_log_note(PageLog *log, uint8_t *at, uint32_t size_bytes);
void page_log_swap(PageLog *log);
void page_log_end(PageLog *log);

// For StoreQueue.before: notes what the store will write.
void page_log_note_store(void *log, const PendingStore *store);

#endif
