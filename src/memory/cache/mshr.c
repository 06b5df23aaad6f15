// SPDX-License-Identifier: MIT
// A hash table with at least one chain per MSHR, linked through the entries; free entries form
// a list through the same links. All memory is allocated at creation.
#include "memory/cache/mshr.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

void mshr_init(MshrFile *file, uint32_t capacity, uint32_t merges) {
  uint32_t chains_log2 = 1;
  while (1u << chains_log2 < capacity) chains_log2++;
  *file = (MshrFile){.capacity = capacity, .merges = merges, .chain_shift = 64 - chains_log2};
  file->entries = memory_alloc(capacity * sizeof *file->entries);
  file->waiters = memory_alloc((size_t)capacity * merges * sizeof *file->waiters);
  file->chains = memory_alloc(sizeof *file->chains << chains_log2);
  memset(file->chains, 0xff, sizeof *file->chains << chains_log2);  // MSHR_NONE
  for (uint32_t i = 0; i < capacity; i++)
    file->entries[i].next = i + 1 < capacity ? i + 1 : MSHR_NONE;
  file->first_free = capacity ? 0 : MSHR_NONE;
  index_ring_init(&file->ready, capacity);
}

void mshr_clear(MshrFile *file) {
  memory_free(file->entries);
  memory_free(file->waiters);
  memory_free(file->chains);
  index_ring_clear(&file->ready);
  *file = (MshrFile){0};
}

// Entries are reused last-in first-out: the host's cache still holds them.
uint32_t mshr_take(MshrFile *file, uint64_t block, uint32_t line) {
  uint32_t index = file->first_free, *chain = mshr_chain(file, block);
  assert(index != MSHR_NONE);
  Mshr *entry = &file->entries[index];
  file->first_free = entry->next;
  file->used++;
  *entry = (Mshr){.block = block, .line = line, .next = *chain};
  *chain = index;
  return index;
}

void mshr_add(MshrFile *file, uint32_t index, MemRequest *request, uint32_t sector) {
  Mshr *entry = &file->entries[index];
  assert(entry->count < file->merges);
  file->waiters[(size_t)index * file->merges + entry->count++] = (MshrWaiter){request, sector};
}

static void unchain(MshrFile *file, uint32_t index) {
  uint32_t *link = mshr_chain(file, file->entries[index].block);
  while (*link != index) link = &file->entries[*link].next;
  *link = file->entries[index].next;
}

// Out of the chain, but in use until its waiters have been handed out, one per call.
void mshr_fill(MshrFile *file, uint32_t index) {
  unchain(file, index);
  index_ring_push(&file->ready, index);
}

// In order of fills, and within an entry in order of arrival. The MSHR is free when its last
// waiter has left.
MemRequest *mshr_next_ready(MshrFile *file, uint32_t *sector) {
  if (index_ring_is_empty(&file->ready)) return NULL;
  uint32_t index = *index_ring_front(&file->ready);
  Mshr *entry = &file->entries[index];
  MshrWaiter waiter = file->waiters[(size_t)index * file->merges + entry->head++];
  if (entry->head == entry->count) {
    index_ring_pop(&file->ready);
    entry->next = file->first_free;
    file->first_free = index;
    file->used--;
  }
  *sector = waiter.sector;
  return waiter.request;
}
