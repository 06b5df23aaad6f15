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
  for (uint32_t i = 0; queue->waiting && i < queue->banks; i++)
    memory_free(queue->waiting[i].ages);
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
  made.ages = memory_alloc(room * entry_bytes);
  made.requesters = (const Requester **)(void *)(made.ages + room);
  made.rows = (uint32_t *)(void *)(made.requesters + room);
  made.entries = (uint16_t *)(void *)(made.rows + room);
  made.writes = (bool *)(void *)(made.entries + room);
  return made;
}

// Room for one more: all arrays grow together, to the most that have waited for the bank.
static void waiting_reserve(DramWaiting *waiting) {
  uint32_t count = waiting->count;
  if (count < waiting->room) return;
  DramWaiting larger = waiting_alloc(waiting->room ? waiting->room * 2 : 4);
  for (uint32_t i = 0; i < count; i++) {
    larger.ages[i] = waiting->ages[i];
    larger.requesters[i] = waiting->requesters[i];
    larger.rows[i] = waiting->rows[i];
    larger.entries[i] = waiting->entries[i];
    larger.writes[i] = waiting->writes[i];
  }
  larger.count = count;
  memory_free(waiting->ages);
  *waiting = larger;
}

void dram_queue_push(DramQueue *queue, const DramRequest *request) {
  assert(!dram_queue_is_full(queue) && request->bank < queue->banks);
  uint16_t index = entry_take(queue, request);
  DramWaiting *waiting = &queue->waiting[request->bank];
  waiting_reserve(waiting);
  waiting->rows[waiting->count] = request->row;
  waiting->ages[waiting->count] = queue->entries[index].age;
  waiting->writes[waiting->count] = request->write;
  waiting->requesters[waiting->count] = request->owner ? &request->owner->requester : NULL;
  waiting->entries[waiting->count] = index;
  waiting->count++;
  queue->count++;
  queue->wanted |= 1ull << request->bank;
}

static void waiting_remove(DramWaiting *waiting, uint32_t i) {
  uint32_t last = --waiting->count;
  for (; i < last; i++) {  // few follow
    waiting->rows[i] = waiting->rows[i + 1];
    waiting->ages[i] = waiting->ages[i + 1];
    waiting->writes[i] = waiting->writes[i + 1];
    waiting->requesters[i] = waiting->requesters[i + 1];
    waiting->entries[i] = waiting->entries[i + 1];
  }
}

DramRequest dram_queue_take(DramQueue *queue, uint32_t bank, uint32_t i) {
  DramWaiting *waiting = &queue->waiting[bank];
  uint16_t index = waiting->entries[i];
  DramRequest request = queue->entries[index].request;
  entry_give_back(queue, index);
  waiting_remove(waiting, i);
  queue->count--;
  if (waiting->count == 0) queue->wanted &= ~(1ull << bank);
  return request;
}
