// SPDX-License-Identifier: MIT
// Miss status holding registers: units in flight and the requests that wait for them.
//
// An entry is taken by the first miss of a block, gathers up to `merges`
// requests, becomes ready when the block is filled, hands its requests out one
// by one and is free again after the last. Open entries are found through
// chains from a small table, each about one entry long. The first request, mostly the only one, is
// in the entry, others are in lists. Memory is for what has been in flight, not for all that could
// be: entries, waiters and chains grow, so that a quiet cache of many entries is small, too.
#ifndef MEMORY_CACHE_MSHR_H
#define MEMORY_CACHE_MSHR_H

#include <stdbool.h>

#include "base/ring.h"
#include "memory/request.h"

#define MSHR_NONE UINT32_MAX

typedef struct MshrWaiter {
  MemRequest *request;
  uint32_t sector;
  uint32_t next;  // of its entry, or in the list of free ones
} MshrWaiter;

// Half a line of the host's cache.
typedef struct Mshr {
  uint64_t block;       // the unit's address / its size
  MemRequest *request;  // the first that waits; NULL once it has been handed out
  uint32_t line;        // where it will go, or TAGS_NONE
  uint32_t next;        // in its chain, or in the list of free entries
  uint32_t last;        // of the waiters after the first: their list is a circle
  uint16_t count;       // requests that have not been handed out
  uint8_t others;       // bit u: unit u of the line comes with it, and has an entry of its own
  unsigned sector : 6;  // of the first
  bool dirty : 1;       // a waiting write or atomic makes the unit dirty
  bool unasked : 1;     // only a prefetch waits
} Mshr;

// What is looked at most comes first.
typedef struct MshrFile {
  IndexRing ready;
  uint32_t capacity, merges, used;
  uint32_t first_free;
  uint32_t chain_shift;  // 64 - log2 of the number of chains
  uint32_t free_waiter;
  uint32_t *chains;  // by hash of the block: an open entry
  Mshr *entries;
  MshrWaiter *waiters;
  uint32_t entry_count, entry_room, waiter_count, waiter_room;  // ever used; allocated
} MshrFile;

void mshr_init(MshrFile *file, uint32_t capacity, uint32_t merges);
void mshr_clear(MshrFile *file);

// An entry for a block that has none; the file must not be full.
uint32_t mshr_take(MshrFile *file, uint64_t block, uint32_t line);
// The same with its first request.
uint32_t mshr_open(MshrFile *file, uint64_t block, uint32_t line, MemRequest *request,
                   uint32_t sector);
// Whether the entry has room is the caller's to know.
void mshr_add(MshrFile *file, uint32_t index, MemRequest *request, uint32_t sector);
// The block has arrived: the entry is open no more and its requests are ready. Without
// requests it is free.
void mshr_fill(MshrFile *file, uint32_t index);
MemRequest *mshr_next_ready(MshrFile *file, uint32_t *sector);
// The oldest request of an entry that has not been filled.
static inline const MemRequest *mshr_first(const MshrFile *file, uint32_t index) {
  return file->entries[index].request;
}

static inline bool mshr_is_full(const MshrFile *file) {
  return file->used == file->capacity;
}

static inline uint32_t *mshr_chain(const MshrFile *file, uint64_t block) {
  return &file->chains[block * 0x9e3779b97f4a7c15u >> file->chain_shift];
}

// The open entry of a block, or MSHR_NONE.
static inline uint32_t mshr_find(const MshrFile *file, uint64_t block) {
  uint32_t index = *mshr_chain(file, block);
  while (index != MSHR_NONE && file->entries[index].block != block)
    index = file->entries[index].next;
  return index;
}

#endif
