// SPDX-License-Identifier: MIT
// Numbers by pairs of numbers: what observers count over millions of lines.
// Zeroed, it is empty and ready. Nothing is ever taken out.
#ifndef OBSERVERS_KEY_SET_H
#define OBSERVERS_KEY_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct KeyEntry {
  uint64_t a, b;
  uint64_t value;
  bool is_used;
} KeyEntry;

typedef struct KeySet {
  KeyEntry *entries;
  size_t count, capacity;  // a power of two
} KeySet;

// The value of a pair, 0 if it is new; is_new may be NULL. Valid until the next call.
uint64_t *key_set_at(KeySet *set, uint64_t a, uint64_t b, bool *is_new);
// NULL if the pair is not there.
const uint64_t *key_set_find(const KeySet *set, uint64_t a, uint64_t b);
void key_set_clear(KeySet *set);

#endif
