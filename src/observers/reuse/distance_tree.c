// SPDX-License-Identifier: MIT
// Times only grow, so slots are appended, and removed ones are squeezed out when the array is
// full: O(log n) amortised.
#include "observers/reuse/distance_tree.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

enum { FIRST_CAPACITY = 1024 };

// Unsigned arithmetic wraps: adding UINT32_MAX subtracts one.
static void change(DistanceTree *tree, size_t slot, uint32_t by) {
  for (size_t i = slot + 1; i <= tree->capacity; i += i & -i) tree->counts[i] += by;
}

static uint64_t live_up_to(const DistanceTree *tree, size_t slots) {
  uint64_t sum = 0;
  for (size_t i = slots; i; i -= i & -i) sum += tree->counts[i];
  return sum;
}

// Number of slots with at most this time. Most references are recent, so the search starts at
// the end and doubles its steps.
static size_t slots_up_to(const DistanceTree *tree, uint64_t time) {
  size_t high = tree->used, step = 1;
  while (step < high && tree->times[high - step] > time) step *= 2;
  size_t low = step < high ? high - step : 0;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (tree->times[middle] <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool is_live(const DistanceTree *tree, size_t slot) {
  return tree->live[slot / 64] >> slot % 64 & 1;
}

// Each node covers itself and the nodes that it is the next for.
static void rebuild(DistanceTree *tree) {
  memset(tree->counts, 0, sizeof *tree->counts * (tree->capacity + 1));
  memset(tree->live, 0, tree->capacity / 8);
  for (size_t slot = 0; slot < tree->used; slot++) {
    tree->live[slot / 64] |= UINT64_C(1) << slot % 64;
    tree->counts[slot + 1] = 1;
  }
  for (size_t i = 1; i <= tree->capacity; i++) {
    size_t next = i + (i & -i);
    if (next <= tree->capacity) tree->counts[next] += tree->counts[i];
  }
}

// Drops the slots that were removed; doubles the room if that frees less than half.
static void squeeze(DistanceTree *tree) {
  size_t kept = 0;
  for (size_t slot = 0; slot < tree->used; slot++)
    if (is_live(tree, slot)) tree->times[kept++] = tree->times[slot];
  tree->used = kept;
  if (kept * 2 >= tree->capacity) {
    tree->capacity = tree->capacity ? tree->capacity * 2 : FIRST_CAPACITY;
    tree->times = memory_resize(tree->times, sizeof *tree->times * tree->capacity);
    tree->counts = memory_resize(tree->counts, sizeof *tree->counts * (tree->capacity + 1));
    tree->live = memory_resize(tree->live, tree->capacity / 8);
  }
  rebuild(tree);
}

void distance_tree_add(DistanceTree *tree, uint64_t time) {
  if (tree->used == tree->capacity) squeeze(tree);
  assert(!tree->used || tree->times[tree->used - 1] < time);
  size_t slot = tree->used++;
  tree->times[slot] = time;
  tree->live[slot / 64] |= UINT64_C(1) << slot % 64;
  tree->live_count++;
  change(tree, slot, 1);
}

void distance_tree_remove(DistanceTree *tree, uint64_t time) {
  size_t slot = slots_up_to(tree, time) - 1;
  assert(tree->times[slot] == time && is_live(tree, slot));
  tree->live[slot / 64] &= ~(UINT64_C(1) << slot % 64);
  tree->live_count--;
  change(tree, slot, UINT32_MAX);  // minus one
}

uint64_t distance_tree_after(const DistanceTree *tree, uint64_t time) {
  return tree->live_count - live_up_to(tree, slots_up_to(tree, time));
}

void distance_tree_clear(DistanceTree *tree) {
  memory_free(tree->times);
  memory_free(tree->counts);
  memory_free(tree->live);
  *tree = (DistanceTree){0};
}
