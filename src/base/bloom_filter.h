// SPDX-License-Identifier: MIT
// A Bloom filter (CACM 1970): a set of keys in a fixed number of bits, which may take a key
// for a member that is none, and never the other way round.
//
// The positions of a key are made of two values of MurmurHash2, h1 + i h2 (Kirsch and
// Mitzenmacher, ESA 2006), so that two hashes serve any number of them.
#ifndef BASE_BLOOM_FILTER_H
#define BASE_BLOOM_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/murmur_hash.h"

typedef struct BloomFilter {
  uint64_t *words;
  uint32_t bits, hashes;  // hashes: positions per key
} BloomFilter;

typedef struct BloomKey {
  uint32_t first, step;
} BloomKey;

// The number of positions with the fewest false positives for so many members.
uint32_t bloom_filter_best_hashes(uint32_t bits, uint32_t members);
// Empty; its bits are in the arena.
void bloom_filter_init(BloomFilter *filter, uint32_t bits, uint32_t hashes, Arena *arena);
void bloom_filter_reset(BloomFilter *filter);

static inline BloomKey bloom_key(uint64_t key) {
  uint32_t first = murmur_hash2_u64(key, 0);
  return (BloomKey){.first = first, .step = murmur_hash2_u64(key, first)};
}

static inline uint32_t bloom_position(const BloomFilter *filter, BloomKey key, uint32_t i) {
  return (uint32_t)((uint64_t)(key.first + i * key.step) * filter->bits >> 32);
}

static inline bool bloom_filter_has(const BloomFilter *filter, BloomKey key) {
  for (uint32_t i = 0; i < filter->hashes; i++) {
    uint32_t bit = bloom_position(filter, key, i);
    if (!(filter->words[bit / 64] >> bit % 64 & 1)) return false;
  }
  return true;
}

static inline void bloom_filter_add(BloomFilter *filter, BloomKey key) {
  for (uint32_t i = 0; i < filter->hashes; i++) {
    uint32_t bit = bloom_position(filter, key, i);
    filter->words[bit / 64] |= UINT64_C(1) << bit % 64;
  }
}

#endif
