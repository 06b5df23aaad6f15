// SPDX-License-Identifier: MIT
// The bound of any replacement and insertion of an L1D: the lines that global loads of each SM look
// up are recorded, in the order of the run, and at the end replayed in a cache that knows them all.
// Stores, which evict lines, and flushes are left out, and a line is present as soon as it is
// missed, where the machine merges accesses until it arrives: compare with hits and merges.
#include "observers/reuse/belady.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "observers/key_set.h"
#include "policies/observer/observer.h"

// ---- the replay

typedef struct HeapEntry {
  size_t next;  // position of the line's next use
  uint32_t line;
} HeapEntry;

// A heap with the farthest next use on top. Entries of lines that were used or evicted since are
// dropped when they come up.
typedef struct Heap {
  HeapEntry *entries;
  size_t count;
} Heap;

static void heap_push(Heap *heap, HeapEntry entry) {
  size_t at = heap->count++;
  for (; at && heap->entries[(at - 1) / 2].next < entry.next; at = (at - 1) / 2)
    heap->entries[at] = heap->entries[(at - 1) / 2];
  heap->entries[at] = entry;
}

static void heap_pop(Heap *heap) {
  HeapEntry last = heap->entries[--heap->count];
  size_t at = 0;
  for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
    if (child + 1 < heap->count && heap->entries[child + 1].next > heap->entries[child].next)
      child++;
    if (heap->entries[child].next <= last.next) break;
    heap->entries[at] = heap->entries[child];
  }
  heap->entries[at] = last;
}

// Lines by number, from 0 in the order of their first use; and for each use the next one, `count`
// if there is none.
typedef struct Stream {
  uint32_t *lines;
  size_t *next;
  size_t count;
  uint32_t line_count;
} Stream;

static Stream stream_make(const uint64_t *addresses, size_t count) {
  Stream stream = {.lines = memory_alloc(sizeof(uint32_t) * (count + 1)),
                   .next = memory_alloc(sizeof(size_t) * (count + 1)),
                   .count = count};
  KeySet numbers = {0};
  for (size_t i = 0; i < count; i++) {
    bool is_new;
    uint64_t *number = key_set_at(&numbers, addresses[i], 0, &is_new);
    if (is_new) *number = stream.line_count++;
    stream.lines[i] = (uint32_t)*number;
  }
  key_set_clear(&numbers);
  size_t *later = memory_alloc(sizeof *later * (stream.line_count + 1));
  for (uint32_t l = 0; l < stream.line_count; l++) later[l] = count;
  for (size_t i = count; i-- > 0;) {
    stream.next[i] = later[stream.lines[i]];
    later[stream.lines[i]] = i;
  }
  memory_free(later);
  return stream;
}

// Makes room for a line that is used next at `next`; false: all others are used before it.
static bool evict_farthest(Heap *heap, size_t *held, size_t next) {
  while (heap->count) {
    HeapEntry top = heap->entries[0];
    if (held[top.line] != top.next) {
      heap_pop(heap);
      continue;
    }
    if (top.next <= next) return false;
    held[top.line] = 0;
    heap_pop(heap);
    return true;
  }
  return false;
}

static uint64_t optimal_hits(const Stream *stream, uint32_t capacity) {
  Heap heap = {.entries = memory_alloc(sizeof(HeapEntry) * (stream->count + 1))};
  size_t *held = memory_alloc(sizeof *held * (stream->line_count + 1));  // next use; 0: not held
  uint64_t hits = 0;
  uint32_t used = 0;
  for (size_t i = 0; i < stream->count; i++) {
    uint32_t line = stream->lines[i];
    bool is_hit = held[line] != 0, is_again = stream->next[i] < stream->count;
    hits += is_hit;
    used -= is_hit;
    held[line] = 0;
    if (!is_again || !capacity) continue;
    if (used == capacity && evict_farthest(&heap, held, stream->next[i])) used--;
    if (used == capacity) continue;
    held[line] = stream->next[i];
    heap_push(&heap, (HeapEntry){stream->next[i], line});
    used++;
  }
  memory_free(heap.entries);
  memory_free(held);
  return hits;
}

// A line hits if fewer than `capacity` different ones were used since: the lines in the order of
// their last uses, of which those from `oldest` on are held.
static uint64_t lru_hits(const Stream *stream, uint32_t capacity) {
  size_t *last = memory_alloc(sizeof *last * (stream->line_count + 1));  // + 1; 0: not held
  size_t oldest = 0;
  uint64_t hits = 0;
  uint32_t used = 0;
  for (size_t i = 0; i < stream->count; i++) {
    uint32_t line = stream->lines[i];
    bool is_hit = last[line] != 0;
    hits += is_hit;
    used += !is_hit;
    last[line] = i + 1;
    for (; used > capacity; oldest++) {
      uint32_t victim = stream->lines[oldest];
      if (last[victim] != oldest + 1) continue;  // used again later
      last[victim] = 0;
      used--;
    }
  }
  memory_free(last);
  return hits;
}

BeladyHits belady_hits(const uint64_t *addresses, size_t count, uint32_t capacity) {
  Stream stream = stream_make(addresses, count);
  BeladyHits hits = {.lines = stream.line_count,
                     .optimal = optimal_hits(&stream, capacity),
                     .lru = lru_hits(&stream, capacity)};
  memory_free(stream.lines);
  memory_free(stream.next);
  return hits;
}

// ---- the observer

typedef struct SmStream {
  uint64_t *lines;
  size_t count, capacity;
} SmStream;

typedef struct Belady {
  uint32_t line_bytes, lines;  // parameters
  uint64_t limit;
  SmStream *sms;
  uint32_t sm_count, sm_capacity;
  uint64_t recorded, ignored;
} Belady;

static SmStream *stream_of(Belady *belady, uint32_t sm) {
  while (belady->sm_count <= sm) {
    GROW(belady->sms, belady->sm_count, belady->sm_capacity);
    belady->sms[belady->sm_count++] = (SmStream){0};
  }
  return &belady->sms[sm];
}

static void belady_events(void *state, const MemEvent *events, uint32_t count) {
  Belady *belady = state;
  for (uint32_t i = 0; i < count; i++) {
    const MemEvent *event = &events[i];
    if (event->kind != EVENT_ACCESS || event->space != SPACE_GLOBAL || event->access != ACCESS_LOAD)
      continue;
    if (belady->recorded == belady->limit) {
      belady->ignored++;
      continue;
    }
    SmStream *stream = stream_of(belady, event->requester.sm);
    GROW(stream->lines, stream->count, stream->capacity);
    stream->lines[stream->count++] = event->address / belady->line_bytes;
    belady->recorded++;
  }
}

typedef struct BeladyRow {
  uint64_t loads, lines, lru_hits, optimal_hits, ignored;
} BeladyRow;

static const Stat columns[] = {
    STAT_COUNT(BeladyRow, loads, "accesses of global loads"),
    STAT_COUNT(BeladyRow, lines, "different lines, of each SM"),
    STAT_COUNT(BeladyRow, lru_hits, "hits with least recently used replacement"),
    STAT_COUNT(BeladyRow, optimal_hits, "hits with perfect knowledge of the accesses to come"),
    STAT_COUNT(BeladyRow, ignored, "accesses beyond the limit, not replayed"),
    {0}};
static const ResultTableType belady_table = {
    .name = "belady",
    .summary = "bound of any replacement: hits of the loads of each SM in a cache that knows them",
    .columns = columns,
    .row_bytes = sizeof(BeladyRow)};

static void belady_report(void *state, ResultTables *tables) {
  Belady *belady = state;
  BeladyRow row = {.loads = belady->recorded, .ignored = belady->ignored};
  for (uint32_t s = 0; s < belady->sm_count; s++) {
    BeladyHits hits = belady_hits(belady->sms[s].lines, belady->sms[s].count, belady->lines);
    row.lines += hits.lines;
    row.lru_hits += hits.lru;
    row.optimal_hits += hits.optimal;
  }
  result_tables_add(tables, &belady_table, &row, 1);
}

static void belady_clear(void *state) {
  Belady *belady = state;
  for (uint32_t s = 0; s < belady->sm_count; s++) memory_free(belady->sms[s].lines);
  memory_free(belady->sms);
}

static const Param params[] = {
    PARAM(Belady, line_bytes, 128, 32, 4096, "bytes of a line"),
    PARAM(Belady, lines, 256, 1, 1 << 24, "lines of the cache: 256 of 128 bytes are 32 KB"),
    PARAM(Belady, limit, UINT64_C(1) << 28, 1, UINT64_C(1) << 36, "accesses recorded at most"),
    {0}};

static const ResultTableType *const tables_of[] = {&belady_table, NULL};

const ObserverType belady_observer = {
    .policy = {.name = "belady",
               .summary = "bound of any L1D replacement: hits with perfect knowledge of the loads",
               .state_size = sizeof(Belady),
               .params = params},
    .wants = 1u << EVENT_ACCESS,
    .tables = tables_of,
    .on_events = belady_events,
    .report = belady_report,
    .clear = belady_clear,
};
