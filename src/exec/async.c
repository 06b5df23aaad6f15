// SPDX-License-Identifier: MIT
// Notes and applies the arrivals at mbarriers that asynchronous copies make when they complete.
#include "exec/async.h"

#include <string.h>

#include "base/memory.h"
#include "exec/cluster.h"
#include "exec/mbarrier.h"
#include "exec/warp.h"

// mbarriers of shared memory need not be aligned where the host is concerned.
static Mbarrier read_word(const uint64_t *word) {
  uint64_t packed;
  memcpy(&packed, word, sizeof packed);
  return mbarrier_unpack(packed);
}

void async_note(AsyncNote *note, const Warp *warp, int lane, uint64_t *word, uint32_t amount,
                bool is_bytes) {
  note->mask |= 1u << lane;
  note->is_bytes = is_bytes;
  note->warp = warp;
  note->word[lane] = word;
  note->amount[lane] = amount;
}

bool async_apply(const AsyncNote *note, int *lane) {
  for (uint32_t left = note->mask; left; left &= left - 1) {
    *lane = __builtin_ctz(left);
    uint64_t *word = note->word[*lane];
    Mbarrier barrier = read_word(word);
    if (note->is_bytes)
      mbarrier_complete_bytes(&barrier, note->amount[*lane]);
    else if (!mbarrier_arrive(&barrier, note->amount[*lane]))
      return false;
    uint64_t packed = mbarrier_pack(barrier);
    memcpy(word, &packed, sizeof packed);
    CtaCluster *cluster = note->warp->cta->cluster;
    if (cluster) cluster->has_changed = true;
  }
  return true;
}

uint32_t async_over(const AsyncWait *wait) {
  uint32_t over = 0;
  for (uint32_t left = wait->mask; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    bool parity = read_word(wait->word[lane]).parity;
    if (parity != (wait->wanted >> lane & 1)) over |= 1u << lane;
  }
  return over;
}

void bulk_ranges_add(BulkRanges *ranges, uint64_t address, uint32_t bytes) {
  GROW(ranges->ranges, ranges->count, ranges->capacity);
  ranges->ranges[ranges->count++] = (BulkRange){address, bytes};
}

void bulk_ranges_clear(BulkRanges *ranges) {
  memory_free(ranges->ranges);
  *ranges = (BulkRanges){0};
}
