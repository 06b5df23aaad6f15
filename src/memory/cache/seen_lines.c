// SPDX-License-Identifier: MIT
// Set of lines that a cache has fetched, as bitmaps by group of lines.
#include "memory/cache/seen_lines.h"

#include "base/memory.h"

enum { FIRST_CAPACITY = 64 };

// Open addressing over groups of 64 lines: neighbouring lines share a word, and footprints are
// mostly contiguous. Key 0 marks a free group, hence line / 64 + 1.
static SeenGroup *find_group(SeenGroup *groups, size_t capacity, uint64_t key) {
  size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (capacity - 1);
  while (groups[at].key != 0 && groups[at].key != key) at = (at + 1) & (capacity - 1);
  return &groups[at];
}

static __attribute__((noinline, cold)) void grow(SeenLines *seen) {
  size_t capacity = seen->capacity ? seen->capacity * 2 : FIRST_CAPACITY;
  SeenGroup *groups = memory_alloc(capacity * sizeof *groups);
  for (size_t i = 0; i < seen->capacity; i++)
    if (seen->groups[i].key) *find_group(groups, capacity, seen->groups[i].key) = seen->groups[i];
  memory_free(seen->groups);
  seen->groups = groups;
  seen->capacity = capacity;
}

bool seen_lines_add(SeenLines *seen, uint64_t line) {
  if (seen->count * 2 >= seen->capacity) grow(seen);
  SeenGroup *group = find_group(seen->groups, seen->capacity, line / 64 + 1);
  uint64_t bit = (uint64_t)1 << line % 64;
  bool is_new = !(group->bits & bit);
  seen->count += group->key == 0;
  group->key = line / 64 + 1;
  group->bits |= bit;
  return is_new;
}

// The group stays, so that probe sequences are not cut.
bool seen_lines_remove(SeenLines *seen, uint64_t line) {
  if (!seen->count) return false;
  SeenGroup *group = find_group(seen->groups, seen->capacity, line / 64 + 1);
  uint64_t bit = (uint64_t)1 << line % 64;
  bool was_there = group->bits & bit;
  group->bits &= ~bit;
  return was_there;
}

void seen_lines_clear(SeenLines *seen) {
  memory_free(seen->groups);
  *seen = (SeenLines){0};
}
