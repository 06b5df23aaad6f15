// SPDX-License-Identifier: MIT
// Pools of memory requests and of instructions in flight, by index.
#include "sm/pools.h"

#include "base/memory.h"

enum { POOL_STEP = 32 };

void request_pool_init(RequestPool *pool, Arena *arena, uint32_t sm, uint32_t cluster) {
  *pool = (RequestPool){.arena = arena, .sm = (uint16_t)sm, .cluster = (uint16_t)cluster};
}

void request_pool_clear(RequestPool *pool) {
  memory_free(pool->free);
}

void request_pool_grow(RequestPool *pool) {
  pool->count += POOL_STEP;
  pool->free = memory_resize(pool->free, sizeof *pool->free * pool->count);
  MemRequest *block =
      arena_alloc_aligned(pool->arena, sizeof *block * POOL_STEP, _Alignof(MemRequest));
  for (uint32_t i = 0; i < POOL_STEP; i++) pool->free[pool->free_count++] = &block[i];
}

void inflight_pool_init(InflightPool *pool, Arena *arena) {
  *pool = (InflightPool){.arena = arena};
}

void inflight_pool_clear(InflightPool *pool) {
  for (uint32_t i = 0; i < pool->count; i++) memory_free(pool->all[i]->accesses);
  memory_free(pool->all);
  memory_free(pool->free);
}

void inflight_pool_grow(InflightPool *pool) {
  uint32_t first = pool->count;
  pool->count += POOL_STEP;
  pool->all = memory_resize(pool->all, sizeof *pool->all * pool->count);
  pool->free = memory_resize(pool->free, sizeof *pool->free * pool->count);
  Inflight *block = arena_alloc_aligned(pool->arena, sizeof *block * POOL_STEP, _Alignof(Inflight));
  for (uint32_t i = 0; i < POOL_STEP; i++) {
    block[i].index = first + i;
    pool->all[first + i] = &block[i];
    pool->free[pool->free_count++] = &block[i];
  }
}
