// SPDX-License-Identifier: MIT
// The memory requests and the instructions in flight of an SM.
//
// Pools grow to the most ever in flight and never shrink; nothing is allocated once that many
// have been. Pointers stay valid: blocks come from the owner's arena.
#ifndef SM_POOLS_H
#define SM_POOLS_H

#include "base/arena.h"
#include "memory/request.h"
#include "sm/inflight.h"

typedef struct RequestPool {
  uint32_t free_count, count;
  MemRequest **free;
  Arena *arena;
  uint16_t sm, cluster;  // of the requester of a new request
} RequestPool;

// Before use; the rest is zero.
void request_pool_init(RequestPool *pool, Arena *arena, uint32_t sm, uint32_t cluster);
void request_pool_clear(RequestPool *pool);
void request_pool_grow(RequestPool *pool);
// A request that is zero but for the SM and cluster of its requester.
static inline MemRequest *request_pool_take(RequestPool *pool) {
  if (!pool->free_count) request_pool_grow(pool);
  MemRequest *request = pool->free[--pool->free_count];
  *request = (MemRequest){.requester = {.sm = pool->sm, .cluster = pool->cluster}};
  return request;
}
static inline void request_pool_give(RequestPool *pool, MemRequest *request) {
  pool->free[pool->free_count++] = request;
}
// Requests that have been taken and not given back.
static inline uint32_t request_pool_out(const RequestPool *pool) {
  return pool->count - pool->free_count;
}

typedef struct InflightPool {
  uint32_t free_count, count;
  Inflight **free;
  Inflight **all;  // by index
  Arena *arena;
} InflightPool;

void inflight_pool_init(InflightPool *pool, Arena *arena);
void inflight_pool_clear(InflightPool *pool);
void inflight_pool_grow(InflightPool *pool);
// As it was given back, its accesses included; the taker sets what it needs.
static inline Inflight *inflight_pool_take(InflightPool *pool) {
  if (!pool->free_count) inflight_pool_grow(pool);
  return pool->free[--pool->free_count];
}
static inline void inflight_pool_give(InflightPool *pool, Inflight *inflight) {
  pool->free[pool->free_count++] = inflight;
}
static inline uint32_t inflight_pool_out(const InflightPool *pool) {
  return pool->count - pool->free_count;
}

#endif
