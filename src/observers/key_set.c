// SPDX-License-Identifier: MIT
// Hash table from pairs of numbers to counts, for millions of lines.
#include "observers/key_set.h"

#include "base/memory.h"

enum { FIRST_CAPACITY = 1024 };

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t hash = a * UINT64_C(0x9e3779b97f4a7c15) ^ (b + UINT64_C(0x7f4a7c159e3779b9)) *
                                                         UINT64_C(0xff51afd7ed558ccd);
  hash ^= hash >> 32;
  return hash * UINT64_C(0x9e3779b97f4a7c15) >> 8;
}

static KeyEntry *find(const KeySet *set, uint64_t a, uint64_t b) {
  size_t at = (size_t)mix(a, b) & (set->capacity - 1);
  while (set->entries[at].is_used && (set->entries[at].a != a || set->entries[at].b != b))
    at = (at + 1) & (set->capacity - 1);
  return &set->entries[at];
}

static void grow(KeySet *set) {
  KeySet wider = {.count = set->count,
                  .capacity = set->capacity ? set->capacity * 2 : FIRST_CAPACITY};
  wider.entries = memory_alloc(sizeof(KeyEntry) * wider.capacity);
  for (size_t i = 0; i < set->capacity; i++)
    if (set->entries[i].is_used) *find(&wider, set->entries[i].a, set->entries[i].b) = set->entries[i];
  memory_free(set->entries);
  *set = wider;
}

uint64_t *key_set_at(KeySet *set, uint64_t a, uint64_t b, bool *is_new) {
  if (set->count * 4 >= set->capacity * 3) grow(set);
  KeyEntry *entry = find(set, a, b);
  if (is_new) *is_new = !entry->is_used;
  if (!entry->is_used) {
    *entry = (KeyEntry){.a = a, .b = b, .is_used = true};
    set->count++;
  }
  return &entry->value;
}

const uint64_t *key_set_find(const KeySet *set, uint64_t a, uint64_t b) {
  if (!set->count) return NULL;
  const KeyEntry *entry = find(set, a, b);
  return entry->is_used ? &entry->value : NULL;
}

void key_set_clear(KeySet *set) {
  memory_free(set->entries);
  *set = (KeySet){0};
}
