// SPDX-License-Identifier: MIT
// From a line's number to its set. All hashes of a power of two of sets are
// linear over GF(2): each bit of the set is the parity of some address bits.
#ifndef MEMORY_CACHE_CACHE_INDEX_H
#define MEMORY_CACHE_CACHE_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { CACHE_INDEX_MAX_BITS = 20 };

typedef struct CacheIndex {
  uint32_t kind;  // IndexHash
  uint32_t sets, sets_log2;
  bool power_of_two;
  uint32_t line_log2;
  uint64_t parity[CACHE_INDEX_MAX_BITS];  // IPOLY: the line bits that make bit i of the set
} CacheIndex;

Status cache_index_init(CacheIndex *index, uint32_t kind, uint32_t sets, uint32_t line_bytes,
                        Error *err);
uint32_t cache_index_hashed(const CacheIndex *index, uint64_t address);

// The set of an address.
static inline uint32_t cache_index_set(const CacheIndex *index, uint64_t address) {
  if (index->kind != 0) return cache_index_hashed(index, address);
  uint64_t line = address >> index->line_log2;
  return (uint32_t)(index->power_of_two ? line & (index->sets - 1) : line % index->sets);
}

#endif
