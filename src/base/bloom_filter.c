// SPDX-License-Identifier: MIT
// Bloom filters: sizing, number of hashes, reset.
#include "base/bloom_filter.h"

#include <string.h>

static uint32_t words_of(uint32_t bits) {
  return (bits + 63) / 64;
}

uint32_t bloom_filter_best_hashes(uint32_t bits, uint32_t members) {
  const double ln2 = 0.6931471805599453;
  double best = members ? ln2 * bits / members : 1;
  if (best > 16) return 16;
  return best < 1 ? 1 : (uint32_t)(best + 0.5);
}

void bloom_filter_init(BloomFilter *filter, uint32_t bits, uint32_t hashes, Arena *arena) {
  *filter = (BloomFilter){.bits = bits, .hashes = hashes};
  filter->words = ARENA_ARRAY(arena, uint64_t, words_of(bits));
}

void bloom_filter_reset(BloomFilter *filter) {
  memset(filter->words, 0, sizeof *filter->words * words_of(filter->bits));
}
