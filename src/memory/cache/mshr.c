// SPDX-License-Identifier: MIT
// A hash table with at least one chain per MSHR in use, linked through the entries; free entries
// form a list through the same links, and free waiters another.
#include "memory/cache/mshr.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

enum { HOST_LINE_BYTES = 64, FIRST_CHAINS_LOG2 = 4, FIRST_ENTRIES = 8 };

static uint32_t *make_chains(uint32_t chains_log2) {
  size_t bytes = sizeof(uint32_t) << chains_log2;
  return memset(memory_alloc_raw(bytes, HOST_LINE_BYTES), 0xff, bytes);  // MSHR_NONE
}

void mshr_init(MshrFile *file, uint32_t capacity, uint32_t merges) {
  *file = (MshrFile){.capacity = capacity, .merges = merges, .chain_shift = 64 - FIRST_CHAINS_LOG2};
  file->chains = make_chains(FIRST_CHAINS_LOG2);
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

static __attribute__((noinline, cold)) void grow_entries(MshrFile *file) {
  uint32_t room = file->entry_room ? file->entry_room * 2 : FIRST_ENTRIES;
  Mshr *larger = memory_alloc_raw(room * sizeof *larger, HOST_LINE_BYTES);
  if (file->entry_count) memcpy(larger, file->entries, file->entry_count * sizeof *larger);
  memory_free(file->entries);
  file->entries = larger;
  file->entry_room = room;
}

// Entries are reused last-in first-out: the host's cache still holds them.
static uint32_t free_entry(MshrFile *file) {
  uint32_t index = file->first_free;
  if (index == MSHR_NONE) {
    if (file->entry_count == file->entry_room) grow_entries(file);
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

// Twice the chains; the open entries go over.
static __attribute__((noinline, cold)) void grow_chains(MshrFile *file) {
  uint32_t old_log2 = 64 - file->chain_shift, *old = file->chains;
  file->chains = make_chains(old_log2 + 1);
  file->chain_shift--;
  for (uint32_t i = 0; i < 1u << old_log2; i++)
    for (uint32_t index = old[i], next; index != MSHR_NONE; index = next) {
      Mshr *entry = &file->entries[index];
      uint32_t *chain = mshr_chain(file, entry->block);
      next = entry->next;
      entry->next = *chain;
      *chain = index;
    }
  memory_free(old);
}

static uint32_t chain_entry(MshrFile *file, Mshr made) {
  assert(!mshr_is_full(file));
  if (file->used >> (64 - file->chain_shift)) grow_chains(file);
  uint32_t index = free_entry(file), *chain = mshr_chain(file, made.block);
  made.next = *chain;
  file->entries[index] = made;
  file->used++;
  *chain = index;
  return index;
}

uint32_t mshr_take(MshrFile *file, uint64_t block, uint32_t line) {
  return chain_entry(file, (Mshr){.block = block, .line = line});
}

uint32_t mshr_open(MshrFile *file, uint64_t block, uint32_t line, MemRequest *request,
                   uint32_t sector) {
  assert(file->merges && sector < MAX_SECTORS);
  // The mask as GCC wants it for a bit field.
  return chain_entry(file, (Mshr){.block = block,
                                  .line = line,
                                  .request = request,
                                  .count = 1,
                                  .sector = sector & (MAX_SECTORS - 1)});
}

void mshr_add(MshrFile *file, uint32_t index, MemRequest *request, uint32_t sector) {
  Mshr *entry = &file->entries[index];
  assert(entry->count < file->merges && sector < MAX_SECTORS);
  if (entry->count++ == 0) {
    entry->request = request;
    entry->sector = sector & (MAX_SECTORS - 1);  // as GCC wants it for a bit field
    return;
  }
  uint32_t waiter = free_waiter(file);
  file->waiters[waiter] = (MshrWaiter){request, sector, waiter};
  if (entry->count > 2) {
    MshrWaiter *last = &file->waiters[entry->last];
    file->waiters[waiter].next = last->next;
    last->next = waiter;
  }
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
  if (entry->request) {
    MshrWaiter first = {entry->request, entry->sector, MSHR_NONE};
    entry->request = NULL;
    return first;
  }
  uint32_t place = file->waiters[entry->last].next;
  MshrWaiter waiter = file->waiters[place];
  file->waiters[entry->last].next = waiter.next;
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
  if (--entry->count == 0) {
    index_ring_pop(&file->ready);
    give_back(file, index);
  }
  *sector = waiter.sector;
  return waiter.request;
}
