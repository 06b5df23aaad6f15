// SPDX-License-Identifier: MIT
// Requests by bank, in arrays that a scheduler can scan, and in one list by age over all banks.
// Arrays instead of a list per bank: FR-FCFS compares rows of all requests of a bank in each
// decision.
#include "memory/dram/dram_queue.h"

#include <assert.h>

#include "base/memory.h"

void dram_queue_init(DramQueue *queue, uint32_t capacity, uint32_t banks) {
  *queue = (DramQueue){.capacity = capacity, .banks = banks};
  if (!capacity) return;
  queue->waiting = memory_alloc(banks * sizeof *queue->waiting);
  // Entry 0 is a sentinel: its `newer` is the oldest request.
  GROW(queue->entries, queue->entry_count, queue->entry_room);
  queue->entries[queue->entry_count++] = (DramEntry){0};
}

void dram_queue_clear(DramQueue *queue) {
  for (uint32_t i = 0; queue->waiting && i < queue->banks; i++) memory_free(queue->waiting[i].ages);
  memory_free(queue->waiting);
  memory_free(queue->entries);
  *queue = (DramQueue){0};
}

// Entry 0 is the head of a circular list: the ends need no special treatment.
static uint16_t entry_take(DramQueue *queue, const DramRequest *request) {
  uint16_t index = queue->free_entry, newest = queue->entries[0].older;
  if (index) {
    queue->free_entry = queue->entries[index].newer;
  } else {
    GROW(queue->entries, queue->entry_count, queue->entry_room);
    index = (uint16_t)queue->entry_count++;
  }
  DramEntry *entry = &queue->entries[index];
  *entry = (DramEntry){.request = *request, .age = queue->next_age++, .older = newest};
  queue->entries[newest].newer = index;
  queue->entries[0].older = index;
  return index;
}

static void entry_give_back(DramQueue *queue, uint16_t index) {
  DramEntry *entry = &queue->entries[index];
  queue->entries[entry->older].newer = entry->newer;
  queue->entries[entry->newer].older = entry->older;
  entry->newer = queue->free_entry;
  queue->free_entry = index;
}

// Arrays of `room` entries each in one piece, those of larger elements first.
static DramWaiting waiting_alloc(uint32_t room) {
  DramWaiting made = {.room = room};
  size_t entry_bytes = sizeof *made.ages + sizeof *made.requesters + sizeof *made.rows +
                       sizeof *made.entries + sizeof *made.writes;
  made.ages = memory_resize(NULL, room * entry_bytes);
  made.requesters = (const Requester **)(void *)(made.ages + room);
  made.rows = (uint32_t *)(void *)(made.requesters + room);
  made.entries = (uint16_t *)(void *)(made.rows + room);
  made.writes = (bool *)(void *)(made.entries + room);
  return made;
}

static void waiting_copy(DramWaiting *to, uint32_t at, const DramWaiting *from, uint32_t i) {
  to->ages[at] = from->ages[i];
  to->requesters[at] = from->requesters[i];
  to->rows[at] = from->rows[i];
  to->entries[at] = from->entries[i];
  to->writes[at] = from->writes[i];
}

// What was taken at the front is used again, or all arrays grow together, to the most that have
// waited for the bank.
static __attribute__((noinline)) void make_room(DramWaiting *waiting) {
  uint32_t first = waiting->first, count = waiting->count;
  DramWaiting target = *waiting;
  if (!first) target = waiting_alloc(waiting->room ? waiting->room * 2 : 4);
  for (uint32_t i = 0; i < count; i++) waiting_copy(&target, i, waiting, first + i);
  if (!first) memory_free(waiting->ages);
  target.first = 0;
  target.count = count;
  *waiting = target;
}

void dram_queue_push(DramQueue *queue, const DramRequest *request) {
  assert(!dram_queue_is_full(queue) && request->bank < queue->banks);
  uint16_t index = entry_take(queue, request);
  DramWaiting *waiting = &queue->waiting[request->bank];
  if (waiting->first + waiting->count == waiting->room) make_room(waiting);
  uint32_t at = waiting->first + waiting->count++;
  waiting->rows[at] = request->row;
  waiting->ages[at] = queue->entries[index].age;
  waiting->writes[at] = request->write;
  waiting->requesters[at] = request->owner ? &request->owner->requester : NULL;
  waiting->entries[at] = index;
  queue->count++;
  queue->wanted |= 1ull << request->bank;
}

// The fewer of those before it and those behind it close up.
static void waiting_remove(DramWaiting *waiting, uint32_t i) {
  uint32_t at = waiting->first + i, last = waiting->first + --waiting->count;
  if (2 * i <= waiting->count) {
    for (; at > waiting->first; at--) waiting_copy(waiting, at, waiting, at - 1);
    waiting->first = waiting->count ? waiting->first + 1 : 0;
  } else {
    for (; at < last; at++) waiting_copy(waiting, at, waiting, at + 1);
  }
}

DramRequest dram_queue_take(DramQueue *queue, uint32_t bank, uint32_t i) {
  DramWaiting *waiting = &queue->waiting[bank];
  uint16_t index = waiting->entries[waiting->first + i];
  DramRequest request = queue->entries[index].request;
  entry_give_back(queue, index);
  waiting_remove(waiting, i);
  queue->count--;
  if (waiting->count == 0) queue->wanted &= ~(1ull << bank);
  return request;
}
