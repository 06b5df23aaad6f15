// SPDX-License-Identifier: MIT
// Global accesses outside any allocation that hardware does not detect.
#include "exec/memory/stray_access.h"

#include <pthread.h>
#include <string.h>
#include <uthash.h>

#include "base/memory.h"

enum { BLOCK_BYTES = 4096 };

// Memory between allocations that was stored to.
typedef struct Block {
  uint64_t number;  // address / BLOCK_BYTES
  uint8_t bytes[BLOCK_BYTES];
  UT_hash_handle hh;
} Block;

// Of one kind.
typedef struct Tally {
  uint64_t count;  // since the last report
  char first[ERROR_TEXT_BYTES];
  // SMs stepped in parallel arrive in any order: the earliest cycle, then the
  // lowest SM, is the first.
  uint64_t first_clock;
  uint32_t first_sm;
  bool is_reported;  // and fixed
} Tally;

struct StrayAccesses {
  pthread_mutex_t lock;
  Block *blocks;
  Tally tallies[STRAY_KINDS];
};

StrayAccesses *stray_accesses_create(void) {
  StrayAccesses *strays = memory_alloc(sizeof *strays);
  pthread_mutex_init(&strays->lock, NULL);
  return strays;
}

void stray_accesses_destroy(StrayAccesses *strays) {
  Block *block, *next;
  if (!strays) return;
  HASH_ITER(hh, strays->blocks, block, next) {
    HASH_DEL(strays->blocks, block);
    memory_free(block);
  }
  pthread_mutex_destroy(&strays->lock);
  memory_free(strays);
}

static uint64_t page_of(uint64_t address) {
  return address / STRAY_PAGE_BYTES;
}

static uint64_t end_of(const Allocation *allocation) {
  return allocation->address + allocation->size_bytes;
}

bool stray_access_is_mapped(const DeviceMemory *memory, uint64_t address, uint32_t size_bytes) {
  const Allocation *below, *above;
  device_memory_neighbours(memory, address, &below, &above);
  bool is_partial = below && end_of(below) > address;
  bool reaches_next = above && above->address < address + size_bytes;
  if (reaches_next || (is_partial && !allocation_is_padded(below))) return false;
  return (below && page_of(address) <= page_of(end_of(below) - 1) + 1) ||
         (above && page_of(address) + 1 >= page_of(above->address));
}

// The padding of an allocation is contiguous with it on the host, too, so that a
// vector may straddle its end.
static uint8_t *find_slack(const DeviceMemory *memory, uint64_t address) {
  const Allocation *below, *above;
  device_memory_neighbours(memory, address, &below, &above);
  if (!below || !allocation_is_padded(below)) return NULL;
  uint64_t offset = address - below->address;
  return offset < device_memory_host_bytes(below->size_bytes) ? below->host + offset : NULL;
}

static uint8_t *find_block(StrayAccesses *strays, uint64_t address, bool write) {
  static uint8_t zeros[BLOCK_BYTES];  // only ever read
  uint64_t number = address / BLOCK_BYTES;
  Block *block;
  HASH_FIND(hh, strays->blocks, &number, sizeof number, block);
  if (!block && write) {
    block = memory_alloc(sizeof *block);
    block->number = number;
    HASH_ADD(hh, strays->blocks, number, sizeof block->number, block);
  }
  return (block ? block->bytes : zeros) + address % BLOCK_BYTES;
}

static bool is_earlier(const Tally *tally, const ExecContext *context) {
  if (!tally->first[0]) return true;
  if (tally->is_reported) return false;
  if (context->clock != tally->first_clock) return context->clock < tally->first_clock;
  return context->sm_id < tally->first_sm;
}

static void note(Tally *tally, const ExecContext *context, const Warp *warp, const Fault *fault) {
  tally->count++;
  if (!is_earlier(tally, context)) return;
  tally->first_clock = context->clock;
  tally->first_sm = context->sm_id;
  Error described;
  fault_describe(context, warp, fault, &described);
  memcpy(tally->first, described.text, sizeof tally->first);
}

uint8_t *stray_access(StrayAccesses *strays, const ExecContext *context, const Warp *warp, int lane,
                      uint64_t address, uint32_t size_bytes, bool write) {
  if (!stray_access_is_mapped(context->memory, address, size_bytes)) return NULL;
  Fault fault =
      fault_of_access(warp, FAULT_OUT_OF_BOUNDS, lane, SPACE_GLOBAL, address, size_bytes, write);
  pthread_mutex_lock(&strays->lock);
  note(&strays->tallies[write ? STRAY_WRITE : STRAY_READ], context, warp, &fault);
  uint8_t *host = find_slack(context->memory, address);
  if (!host) host = find_block(strays, address, write);
  pthread_mutex_unlock(&strays->lock);
  return host;
}

void stray_arrival(StrayAccesses *strays, const ExecContext *context, const Warp *warp, int lane,
                   uint64_t address) {
  Fault fault = fault_of_access(warp, FAULT_BAD_CLUSTER, lane, SPACE_SHARED, address, 8, true);
  pthread_mutex_lock(&strays->lock);
  note(&strays->tallies[STRAY_ARRIVAL], context, warp, &fault);
  pthread_mutex_unlock(&strays->lock);
}

StrayReport stray_report_take(StrayAccesses *strays, StrayKind kind) {
  Tally *tally = &strays->tallies[kind];
  StrayReport report = {tally->count, tally->first};
  if (tally->count) tally->is_reported = true;
  tally->count = 0;
  return report;
}
