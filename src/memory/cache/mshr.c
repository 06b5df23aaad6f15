// SPDX-License-Identifier: MIT
// A hash table with at least one chain per MSHR, linked through the entries; free entries form
// a list through the same links, and free waiters another.
#include "memory/cache/mshr.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

void mshr_init(MshrFile *file, uint32_t capacity, uint32_t merges) {
  uint32_t chains_log2 = 1;
  while (1u << chains_log2 < capacity) chains_log2++;
  *file = (MshrFile){.capacity = capacity, .merges = merges, .chain_shift = 64 - chains_log2};
  file->chains = memory_alloc(sizeof *file->chains << chains_log2);
  memset(file->chains, 0xff, sizeof *file->chains << chains_log2);  // MSHR_NONE
  file->first_free = file->free_waiter = MSHR_NONE;
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
static uint32_t free_entry(MshrFile *file) {
  uint32_t index = file->first_free;
  if (index == MSHR_NONE) {
    GROW(file->entries, file->entry_count, file->entry_room);
    return file->entry_count++;
  }
  file->first_free = file->entries[index].next;
  return index;
}

static uint32_t free_waiter(MshrFile *file) {
  uint32_t index = file->free_waiter;
  if (index == MSHR_NONE) {
    GROW(file->waiters, file->waiter_count, file->waiter_room);
    return file->waiter_count++;
  }
  file->free_waiter = file->waiters[index].next;
  return index;
}

uint32_t mshr_take(MshrFile *file, uint64_t block, uint32_t line) {
  assert(!mshr_is_full(file));
  uint32_t index = free_entry(file), *chain = mshr_chain(file, block);
  Mshr *entry = &file->entries[index];
  file->used++;
  *entry = (Mshr){.block = block, .line = line, .next = *chain};
  *chain = index;
  return index;
}

void mshr_add(MshrFile *file, uint32_t index, MemRequest *request, uint32_t sector) {
  Mshr *entry = &file->entries[index];
  assert(entry->count < file->merges);
  if (entry->count++ == 0) {
    entry->request = request;
    entry->sector = (uint8_t)sector;
    return;
  }
  uint32_t waiter = free_waiter(file);
  file->waiters[waiter] = (MshrWaiter){request, sector, MSHR_NONE};
  if (entry->count > 2)
    file->waiters[entry->last].next = waiter;
  else
    entry->first = waiter;
  entry->last = waiter;
}

static void unchain(MshrFile *file, uint32_t index) {
  uint32_t *link = mshr_chain(file, file->entries[index].block);
  while (*link != index) link = &file->entries[*link].next;
  *link = file->entries[index].next;
}

static void give_back(MshrFile *file, uint32_t index) {
  file->entries[index].next = file->first_free;
  file->first_free = index;
  file->used--;
}

// Out of the chain, but in use until its waiters have been handed out, one per call.
void mshr_fill(MshrFile *file, uint32_t index) {
  unchain(file, index);
  if (file->entries[index].count)
    index_ring_push(&file->ready, index);
  else
    give_back(file, index);
}

static MshrWaiter take_waiter(MshrFile *file, Mshr *entry) {
  if (entry->head == 0) return (MshrWaiter){entry->request, entry->sector, MSHR_NONE};
  uint32_t place = entry->first;
  MshrWaiter waiter = file->waiters[place];
  entry->first = waiter.next;
  file->waiters[place].next = file->free_waiter;
  file->free_waiter = place;
  return waiter;
}

// In order of fills, and within an entry in order of arrival. The MSHR is free when its last
// waiter has left.
MemRequest *mshr_next_ready(MshrFile *file, uint32_t *sector) {
  if (index_ring_is_empty(&file->ready)) return NULL;
  uint32_t index = *index_ring_front(&file->ready);
  Mshr *entry = &file->entries[index];
  MshrWaiter waiter = take_waiter(file, entry);
  if (++entry->head == entry->count) {
    index_ring_pop(&file->ready);
    give_back(file, index);
  }
  *sector = waiter.sector;
  return waiter.request;
}
