// SPDX-License-Identifier: MIT
// Requests of a DRAM channel that wait for a bank: by bank, oldest first, and
// over the whole channel in the order of arrival.
#ifndef MEMORY_DRAM_DRAM_QUEUE_H
#define MEMORY_DRAM_DRAM_QUEUE_H

#include "memory/dram/dram.h"

enum { DRAM_MAX_BANKS = 64, DRAM_MAX_QUEUE = 4096 };

// Queued requests of one bank: the arrays of a DramBankView and, in parallel, the
// location of each request. They share one piece of memory, which begins with `ages`: few requests
// wait for a bank, and so take one or two lines of the host's cache.
typedef struct DramWaiting {
  uint64_t *ages;
  const Requester **requesters;
  uint32_t *rows;
  uint16_t *entries;
  bool *writes;
  uint32_t first, count, room;  // the oldest is at `first`
} DramWaiting;

// A place in the queue. The taken ones form a list in order of arrival.
typedef struct DramEntry {
  DramRequest request;
  uint64_t age;
  uint16_t older, newer;  // next in the list of free ones: newer
} DramEntry;

typedef struct DramQueue {
  uint32_t capacity, count, banks;
  uint64_t wanted;  // bit b: a request waits for bank b
  DramWaiting *waiting;  // by bank
  DramEntry *entries;    // entries[0] is the end of the list of taken ones
  uint32_t entry_count, entry_room;  // ever used; allocated
  uint16_t free_entry;               // 0: none
  uint64_t next_age;
} DramQueue;

// A queue of no entries takes nothing and is never to be pushed to.
void dram_queue_init(DramQueue *queue, uint32_t capacity, uint32_t banks);
void dram_queue_clear(DramQueue *queue);
static inline bool dram_queue_is_full(const DramQueue *queue) {
  return queue->count >= queue->capacity;
}
void dram_queue_push(DramQueue *queue, const DramRequest *request);
// Removes and returns request i of those queued for the bank.
DramRequest dram_queue_take(DramQueue *queue, uint32_t bank, uint32_t i);
// The age of the oldest request; there is one.
static inline uint64_t dram_queue_oldest(const DramQueue *queue) {
  return queue->entries[queue->entries[0].newer].age;
}

#endif
