// SPDX-License-Identifier: MIT
// MurmurHash2 (Austin Appleby), four bytes at a time in the host's byte order.
#include "base/murmur_hash.h"

#include <string.h>

uint32_t murmur_hash2(const void *key, size_t size_bytes, uint32_t seed) {
  const unsigned char *at = key;
  uint32_t hash = seed ^ (uint32_t)size_bytes, word;
  for (; size_bytes >= sizeof word; at += sizeof word, size_bytes -= sizeof word) {
    memcpy(&word, at, sizeof word);
    hash = murmur_mix(hash, word);
  }
  if (size_bytes) {
    for (size_t i = size_bytes; i-- > 0;) hash ^= (uint32_t)at[i] << 8 * i;
    hash *= murmur_multiplier;
  }
  return murmur_finish(hash);
}
