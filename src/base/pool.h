// SPDX-License-Identifier: MIT
// Objects of one size, taken and given back in any order, named by index.
//
// All memory is taken at the start; a full pool says so. Indices are 32 bits
// wide and stay valid when state is copied. Objects are not cleared on take.
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define POOL_NONE UINT32_MAX

typedef struct Pool {
  unsigned char *items;
  uint32_t *next;  // of a free item the next free one; of a taken one POOL_TAKEN
  size_t item_bytes;
  uint32_t capacity, used, first_free;
} Pool;

#define POOL_TAKEN (UINT32_MAX - 1)

void pool_init(Pool *pool, size_t item_bytes, uint32_t capacity);
void pool_clear(Pool *pool);

// The index of an object, or POOL_NONE when all are taken.
static inline uint32_t pool_take(Pool *pool) {
  uint32_t index = pool->first_free;
  if (index == POOL_NONE) return index;
  pool->first_free = pool->next[index];
  pool->next[index] = POOL_TAKEN;
  pool->used++;
  return index;
}

static inline void pool_give(Pool *pool, uint32_t index) {
  assert(index < pool->capacity && pool->next[index] == POOL_TAKEN);
  pool->next[index] = pool->first_free;
  pool->first_free = index;
  pool->used--;
}

static inline void *pool_at(const Pool *pool, uint32_t index) {
  assert(index < pool->capacity && pool->next[index] == POOL_TAKEN);
  return pool->items + pool->item_bytes * index;
}

#define POOL_AT(pool, Type, index) ((Type *)pool_at((pool), (index)))

#endif
