// SPDX-License-Identifier: MIT
// A hash set of page numbers, to count the pages that a kernel accesses.
#include "trace/page_set.h"

#include "base/memory.h"

static uint64_t *find(const PageSet *set, uint64_t page) {
  uint64_t i = page * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (set->capacity - 1);
  while (set->pages[i] && set->pages[i] != page) i = (i + 1) & (set->capacity - 1);
  return &set->pages[i];
}

static void grow(PageSet *set) {
  PageSet old = *set;
  set->capacity = old.capacity ? old.capacity * 2 : 64;
  set->pages = memory_alloc(sizeof *set->pages * set->capacity);
  for (uint64_t i = 0; i < old.capacity; i++)
    if (old.pages[i]) *find(set, old.pages[i]) = old.pages[i];
  memory_free(old.pages);
}

void page_set_add(PageSet *set, uint64_t address) {
  uint64_t page = (address >> PAGE_BYTES_LOG2) + 1;
  if (page == set->last) return;
  set->last = page;
  if (set->count * 4 >= set->capacity * 3) grow(set);
  uint64_t *place = find(set, page);
  set->count += !*place;
  *place = page;
}

void page_set_clear(PageSet *set) {
  memory_free(set->pages);
  *set = (PageSet){0};
}
