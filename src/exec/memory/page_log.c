// SPDX-License-Identifier: MIT
// Logs the blocks that a launch writes, and moves memory back and forward.
#include "exec/memory/page_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int by_start(const void *a, const void *b) {
  const LoggedRange *x = a, *y = b;
  return (x->start > y->start) - (x->start < y->start);
}

// Memory of the host's own ends with the allocation: what follows is not the device's.
static uint64_t bytes_behind(const Allocation *allocation) {
  if (!allocation_is_padded(allocation)) return allocation->size_bytes;
  return device_memory_host_bytes(allocation->size_bytes);
}

static void add_ranges(PageLog *log, const DeviceMemory *memory) {
  const Allocation *below, *it;
  uint64_t address = 0;
  for (;;) {
    device_memory_neighbours(memory, address, &below, &it);
    if (!it) return;
    GROW(log->ranges, log->range_count, log->range_capacity);
    log->ranges[log->range_count++] =
        (LoggedRange){.start = it->host, .size_bytes = bytes_behind(it)};
    address = it->address;
  }
}

// Several allocations may show the same memory: a byte belongs to one range only, or it would be
// exchanged twice.
static void merge_ranges(PageLog *log) {
  uint32_t kept = 0;
  if (!log->range_count) return;
  qsort(log->ranges, log->range_count, sizeof *log->ranges, by_start);
  for (uint32_t i = 1; i < log->range_count; i++) {
    LoggedRange *last = &log->ranges[kept], *next = &log->ranges[i];
    if (next->start >= last->start + last->size_bytes) {
      log->ranges[++kept] = *next;
      continue;
    }
    uint64_t end = (uint64_t)(next->start - last->start) + next->size_bytes;
    if (end > last->size_bytes) last->size_bytes = end;
  }
  log->range_count = kept + 1;
}

void page_log_begin(PageLog *log, const DeviceMemory *memory) {
  page_log_end(log);
  add_ranges(log, memory);
  merge_ranges(log);
  for (uint32_t i = 0; i < log->range_count; i++) {
    uint64_t blocks = log->ranges[i].size_bytes / PAGE_LOG_BLOCK_BYTES + 1;
    log->ranges[i].written = memory_alloc((blocks + 63) / 64 * sizeof(uint64_t));
  }
}

static bool holds(const LoggedRange *range, const uint8_t *at) {
  return at >= range->start && (uint64_t)(at - range->start) < range->size_bytes;
}

// NULL: no memory of an allocation, such as what stray writes go to.
static LoggedRange *find(PageLog *log, const uint8_t *at) {
  if (log->last < log->range_count && holds(&log->ranges[log->last], at))
    return &log->ranges[log->last];
  uint32_t low = 0, high = log->range_count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (log->ranges[middle].start <= at)
      low = middle + 1;
    else
      high = middle;
  }
  if (!low || !holds(&log->ranges[low - 1], at)) return NULL;
  log->last = low - 1;
  return &log->ranges[low - 1];
}

static void keep(PageLog *log, const LoggedRange *range, uint64_t block) {
  uint64_t offset = block * PAGE_LOG_BLOCK_BYTES, left = range->size_bytes - offset;
  uint32_t size_bytes = left < PAGE_LOG_BLOCK_BYTES ? (uint32_t)left : PAGE_LOG_BLOCK_BYTES;
  LoggedBlock kept = {range->start + offset, size_bytes, memory_alloc(size_bytes)};
  memcpy(kept.kept, kept.at, size_bytes);
  GROW(log->blocks, log->block_count, log->block_capacity);
  log->blocks[log->block_count++] = kept;
}

void page_log_note(PageLog *log, uint8_t *at, uint32_t size_bytes) {
  LoggedRange *range = find(log, at);
  if (!range) return;
  uint64_t first = (uint64_t)(at - range->start), last = first + size_bytes - 1;
  if (last >= range->size_bytes) last = range->size_bytes - 1;
  for (uint64_t block = first / PAGE_LOG_BLOCK_BYTES; block <= last / PAGE_LOG_BLOCK_BYTES;
       block++) {
    uint64_t *word = &range->written[block / 64], bit = UINT64_C(1) << block % 64;
    if (*word & bit) continue;
    *word |= bit;
    keep(log, range, block);
  }
}

// Whether the byte is in the block where `first` is, which has been logged.
static bool shares_block(const LoggedRange *range, const uint8_t *first, const uint8_t *byte) {
  return holds(range, byte) && (uint64_t)(byte - range->start) / PAGE_LOG_BLOCK_BYTES ==
                                   (uint64_t)(first - range->start) / PAGE_LOG_BLOCK_BYTES;
}

// Most lanes store to the block of the first one.
void page_log_note_store(void *self, const PendingStore *store) {
  PageLog *log = self;
  const uint8_t *first = NULL;
  const LoggedRange *range = NULL;
  for (uint32_t left = store->mask; left; left &= left - 1) {
    uint8_t *at = store->at[__builtin_ctz(left)];
    if (range && shares_block(range, first, at) &&
        shares_block(range, first, at + store->bytes - 1))
      continue;
    page_log_note(log, at, store->bytes);
    first = at;
    range = find(log, at);
  }
}

void page_log_swap(PageLog *log) {
  uint8_t held[PAGE_LOG_BLOCK_BYTES];
  for (uint32_t i = 0; i < log->block_count; i++) {
    LoggedBlock *block = &log->blocks[i];
    memcpy(held, block->at, block->size_bytes);
    memcpy(block->at, block->kept, block->size_bytes);
    memcpy(block->kept, held, block->size_bytes);
  }
}

void page_log_end(PageLog *log) {
  for (uint32_t i = 0; i < log->range_count; i++) memory_free(log->ranges[i].written);
  for (uint32_t i = 0; i < log->block_count; i++) memory_free(log->blocks[i].kept);
  memory_free(log->ranges);
  memory_free(log->blocks);
  *log = (PageLog){0};
}
