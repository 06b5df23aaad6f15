// SPDX-License-Identifier: MIT
// Prefetches the lines after one that missed or was itself prefetched.
//
// Smith, "Cache Memories", ACM Computing Surveys 1982: one block lookahead,
// tagged. Here the tags are the set of recently fetched lines, so a stream is
// followed without misses if its lines are used soon.
#include "policies/prefetch/prefetch.h"

enum { RECENT = 64 };

typedef struct NextLine {
  uint32_t degree;          // parameter
  uint64_t recent[RECENT];  // by line number modulo RECENT: a line that was prefetched, + 1
} NextLine;

static uint64_t *recent_of(NextLine *next, uint64_t number) {
  return &next->recent[number % RECENT];
}

static void next_line_on_access(void *state, const L1dAccess *access, PrefetchList *list) {
  NextLine *next = state;
  uint64_t number = access->line / access->line_bytes;
  bool was_prefetched = *recent_of(next, number) == number + 1;
  if (was_prefetched) *recent_of(next, number) = 0;
  if (access->outcome != OUTCOME_MISS && !was_prefetched) return;
  for (uint32_t i = 1; i <= next->degree; i++) {
    *recent_of(next, number + i) = number + i + 1;
    prefetch_add(list, (number + i) * access->line_bytes, PREFETCH_NO_WARP);
  }
}

static const Param next_line_params[] = {
    PARAM(NextLine, degree, 1, 1, PREFETCH_MOST, "lines ahead"), {0}};

const PrefetchType next_line_prefetch = {
    .policy = {.name = "next_line",
               .summary = "the lines after a miss",
               .state_size = sizeof(NextLine),
               .params = next_line_params},
    .on_access = next_line_on_access,
};
