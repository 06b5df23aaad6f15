// SPDX-License-Identifier: MIT
// Constant pool of a program: each distinct immediate once, 32 lanes wide.
#include "frontends/ptx/lower/constants.h"

#include <string.h>
#include <uthash.h>

#include "base/memory.h"

typedef struct ConstantKey {
  uint64_t bits;
  uint64_t lane_bytes;  // 0 for a predicate
} ConstantKey;

struct ConstantEntry {
  ConstantKey key;
  uint32_t offset;
  UT_hash_handle hh;
};

enum { LANES_ALIGNMENT = 64 };

static uint32_t take(Constants *constants, uint32_t size) {
  uint32_t at = (constants->used + LANES_ALIGNMENT - 1) & ~(uint32_t)(LANES_ALIGNMENT - 1);
  while (at + size > constants->capacity) {
    constants->capacity = constants->capacity ? constants->capacity * 2 : 4096;
    constants->bytes = memory_resize(constants->bytes, constants->capacity);
  }
  constants->used = at + size;
  return at;
}

static uint32_t write_lanes(Constants *constants, const ConstantKey *key) {
  uint32_t lane_bytes = key->lane_bytes ? (uint32_t)key->lane_bytes : 4;
  uint32_t lanes = key->lane_bytes ? WARP_LANES : 1;
  uint32_t at = take(constants, lanes * lane_bytes);
  for (uint32_t i = 0; i < lanes; i++)
    memcpy(constants->bytes + at + i * lane_bytes, &key->bits, lane_bytes);
  return at;
}

static Place find_or_add(Constants *constants, ConstantKey key) {
  ConstantEntry *entry;
  HASH_FIND(hh, constants->by_value, &key, sizeof key, entry);
  if (!entry) {
    entry = memory_alloc(sizeof *entry);
    entry->key = key;
    entry->offset = write_lanes(constants, &key);
    HASH_ADD(hh, constants->by_value, key, sizeof key, entry);
  }
  return ~(Place)entry->offset;
}

Place constant_place(Constants *constants, uint64_t bits, int lane_bytes) {
  if (lane_bytes == 4) bits &= UINT32_MAX;
  return find_or_add(constants, (ConstantKey){bits, (uint64_t)lane_bytes});
}

Place constant_predicate(Constants *constants, bool value) {
  return find_or_add(constants, (ConstantKey){value ? FULL_MASK : 0, 0});
}

void constants_finish(Constants *constants, Program *program) {
  program->pool = arena_alloc_aligned(&program->arena, constants->used, LANES_ALIGNMENT);
  if (constants->used) memcpy(program->pool, constants->bytes, constants->used);
  program->pool_bytes = constants->used;
  constants_clear(constants);
}

void constants_clear(Constants *constants) {
  ConstantEntry *entry, *next;
  HASH_ITER(hh, constants->by_value, entry, next) {
    HASH_DEL(constants->by_value, entry);
    memory_free(entry);
  }
  memory_free(constants->bytes);
  *constants = (Constants){0};
}
