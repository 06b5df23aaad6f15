// SPDX-License-Identifier: MIT
// Queues of a fixed depth: first in, first out, back-pressure when full.
//
// RING_DEFINE(IndexRing, index_ring, uint32_t) defines the type IndexRing and its
// functions index_ring_init, _clear, _is_empty, _is_full, _push, _pop, _front and _at.
// The depth is as configured; the storage grows to what is needed of it, in powers of two, so
// that an index is computed with a mask. Most queues of a large machine never hold more than a few
// items, and going round in a small storage stays in the host's cache.
#ifndef BASE_RING_H
#define BASE_RING_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

// Twice the slots, or the first ones; the items in order, from slot 0 on. Not inlined: pushing,
// which happens everywhere, is a few instructions beside it.
void *ring_grow(void *items, size_t item_bytes, uint32_t *mask, uint32_t *head);

#define RING_DEFINE(Ring, prefix, Type)                                                     \
  typedef struct Ring {                                                                     \
    Type *items;                                                                            \
    uint32_t capacity, mask;                                                                \
    uint32_t head, count; /* the oldest item, and how many there are */                     \
  } Ring;                                                                                   \
                                                                                            \
  static inline void prefix##_init(Ring *ring, uint32_t capacity) {                         \
    assert(capacity <= 1u << 30);                                                           \
    *ring = (Ring){.capacity = capacity, .mask = UINT32_MAX};                               \
  }                                                                                         \
  static inline void prefix##_clear(Ring *ring) {                                           \
    memory_free(ring->items);                                                               \
    *ring = (Ring){0};                                                                      \
  }                                                                                         \
  static inline bool prefix##_is_empty(const Ring *ring) {                                  \
    return ring->count == 0;                                                                \
  }                                                                                         \
  static inline bool prefix##_is_full(const Ring *ring) {                                   \
    return ring->count == ring->capacity;                                                   \
  }                                                                                         \
  /* Whoever pushes has asked _is_full before. */                                           \
  static inline void prefix##_push(Ring *ring, Type item) {                                 \
    assert(ring->count < ring->capacity);                                                   \
    if (ring->count == ring->mask + 1)                                                      \
      ring->items = (Type *)ring_grow(ring->items, sizeof(Type), &ring->mask, &ring->head); \
    ring->items[(ring->head + ring->count++) & ring->mask] = item;                          \
  }                                                                                         \
  /* The i-th oldest; 0 is the next to be popped. */                                        \
  static inline Type *prefix##_at(const Ring *ring, uint32_t i) {                           \
    assert(i < ring->count);                                                                \
    return &ring->items[(ring->head + i) & ring->mask];                                     \
  }                                                                                         \
  static inline Type *prefix##_front(const Ring *ring) {                                    \
    return prefix##_at(ring, 0);                                                            \
  }                                                                                         \
  static inline Type prefix##_pop(Ring *ring) {                                             \
    Type item = *prefix##_front(ring);                                                      \
    ring->head = --ring->count ? (ring->head + 1) & ring->mask : 0;                         \
    return item;                                                                            \
  }                                                                                         \
  typedef Ring Ring##Defined /* takes the semicolon */

RING_DEFINE(IndexRing, index_ring, uint32_t);

#endif
