// SPDX-License-Identifier: MIT
#include "base/pool.h"

#include "base/memory.h"

void pool_init(Pool *pool, size_t item_bytes, uint32_t capacity) {
  assert(item_bytes && capacity < POOL_TAKEN);
  *pool = (Pool){.item_bytes = item_bytes, .capacity = capacity};
  pool->items = memory_alloc_aligned(item_bytes * capacity + 1, 64);
  pool->next = memory_alloc((size_t)capacity * sizeof *pool->next + 1);
  // Low indices first, so that a pool which is never full stays in few host lines.
  for (uint32_t i = 0; i < capacity; i++) pool->next[i] = i + 1 < capacity ? i + 1 : POOL_NONE;
  pool->first_free = capacity ? 0 : POOL_NONE;
}

void pool_clear(Pool *pool) {
  memory_free(pool->items);
  memory_free(pool->next);
  *pool = (Pool){0};
}
