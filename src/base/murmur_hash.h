// SPDX-License-Identifier: MIT
// MurmurHash2 by Austin Appleby: a fast hash of 32 bits for tables and filters, not for
// secrets. Four bytes at a time are mixed into the state, in the byte order of the machine.
#ifndef BASE_MURMUR_HASH_H
#define BASE_MURMUR_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { MURMUR_SHIFT = 24 };
static const uint32_t murmur_multiplier = 0x5bd1e995;

static inline uint32_t murmur_mix(uint32_t hash, uint32_t word) {
  word *= murmur_multiplier;
  word ^= word >> MURMUR_SHIFT;
  word *= murmur_multiplier;
  return hash * murmur_multiplier ^ word;
}

static inline uint32_t murmur_finish(uint32_t hash) {
  hash ^= hash >> 13;
  hash *= murmur_multiplier;
  return hash ^ hash >> 15;
}

uint32_t murmur_hash2(const void *key, size_t size_bytes, uint32_t seed);

// The same of a key of eight bytes.
static inline uint32_t murmur_hash2_u64(uint64_t key, uint32_t seed) {
  uint32_t hash = murmur_mix(seed ^ (uint32_t)sizeof key, (uint32_t)key);
  return murmur_finish(murmur_mix(hash, (uint32_t)(key >> 32)));
}

#endif
