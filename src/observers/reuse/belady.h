// SPDX-License-Identifier: MIT
// What the best replacement could keep: hits of a stream of lines in a fully associative cache with
// perfect knowledge of the stream (Belady, IBM Systems Journal 1966), with bypassing, and with LRU.
#ifndef OBSERVERS_REUSE_BELADY_H
#define OBSERVERS_REUSE_BELADY_H

#include <stddef.h>
#include <stdint.h>

typedef struct BeladyHits {
  uint64_t lines;  // different ones
  uint64_t optimal, lru;
} BeladyHits;

// A line that is not read again before all that the cache holds is not kept: no replacement, with
// or without bypassing, has more hits.
BeladyHits belady_hits(const uint64_t *stream, size_t count, uint32_t capacity);

#endif
