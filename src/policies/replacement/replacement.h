// SPDX-License-Identifier: MIT
// Replacement: which way of a set is evicted for a new line.
//
// To add one, write a file in this folder that defines a ReplacementType and list it in
// replacements.def. There is one state per cache; PolicySetup.part is its CacheShape.
// The cache itself prefers invalid ways, and never offers ways with a pending fill.
#ifndef POLICIES_REPLACEMENT_REPLACEMENT_H
#define POLICIES_REPLACEMENT_REPLACEMENT_H

#include <string.h>

#include "base/cycle.h"
#include "policies/host.h"
#include "policies/requester.h"

typedef struct SetView {
  uint64_t candidates;     // bit w: way w may be given up; never 0
  const Cycle *last_used;  // by way: time of the last access
  const Cycle *filled;     // by way: time when the line was allocated
  uint32_t set, ways;
} SetView;

typedef struct CacheShape {
  uint32_t sets, ways, line_bytes;
} CacheShape;

// A line that was looked up, or that takes a way.
typedef struct LineView {
  Cycle now;
  uint32_t set, way;
  uint64_t address;      // of the line
  const Requester *requester;  // warp, CTA and kernel of the access
  bool is_write, is_prefetch;
} LineView;

typedef struct ReplacementType {
  PolicyType policy;
  // Returns a way whose bit is set in candidates.
  uint32_t (*victim)(void *state, const SetView *view);
  // Optional: an access found its line; a new line was given its way, which is
  // when it misses or when its data arrives, as the cache allocates.
  void (*on_hit)(void *state, const LineView *line);
  void (*on_fill)(void *state, const LineView *line);
} ReplacementType;

extern const PolicyFamily replacement_family;

// A policy at work, with its state.
typedef struct Replacement {
  const ReplacementType *type;
  void *state;
  PolicyHost *own;  // that the state belongs to, if no machine has one
} Replacement;

// Makes the policy that spec names, such as "lru" or "random:seed=7". host: of
// the machine; NULL: a cache on its own, without plugins.
Status replacement_init(Replacement *replacement, PolicyHost *host, const char *spec,
                        const CacheShape *shape, Error *err);
void replacement_clear(Replacement *replacement);
// Asks it, and checks that the answer is one of the candidates.
uint32_t replacement_victim(const Replacement *replacement, const SetView *view);

// Four ways in one go: GNU C, which compilers turn into what the host has.
enum { WAY_LANES = 4 };
typedef int64_t WayBlock __attribute__((vector_size(WAY_LANES * sizeof(int64_t))));

// The earliest time of each lane, and its way; the number of ways looked at.
static inline uint32_t way_blocks_earliest(uint64_t candidates, const Cycle *times, uint32_t count,
                                           WayBlock *earliest, WayBlock *best) {
  WayBlock ways = {0, 1, 2, 3}, bits = ((WayBlock){0} + (int64_t)candidates) >> ways;
  uint32_t way = 0;
  *earliest = (WayBlock){0} + INT64_MAX;
  *best = ways;
  for (; way + WAY_LANES <= count; way += WAY_LANES, bits >>= WAY_LANES, ways += WAY_LANES) {
    WayBlock time;
    memcpy(&time, &times[way], sizeof time);
    time |= ((bits & 1) - 1) & INT64_MAX;  // no candidate: never
    WayBlock is_earlier = time < *earliest;
    *earliest = (time & is_earlier) | (*earliest & ~is_earlier);
    *best = (ways & is_earlier) | (*best & ~is_earlier);
  }
  return way;
}

// For policies: the candidate with the earliest time, the lowest way of several. Sets have up to 64
// ways, and their times are seldom in the host's cache: they are read in one pass without branches.
static inline uint32_t replacement_earliest(uint64_t candidates, const Cycle *times) {
  uint32_t count = 64 - (uint32_t)__builtin_clzll(candidates);
  WayBlock earliest, best;
  uint32_t way = way_blocks_earliest(candidates, times, count, &earliest, &best);
  int64_t first = INT64_MAX, choice = 0;
  for (uint32_t i = 0; i < WAY_LANES; i++) {
    bool is_first = earliest[i] < first || (earliest[i] == first && best[i] < choice);
    first = is_first ? earliest[i] : first;
    choice = is_first ? best[i] : choice;
  }
  for (; way < count; way++) {
    if (!(candidates >> way & 1) || (int64_t)times[way] >= first) continue;
    first = (int64_t)times[way];
    choice = way;
  }
  return (uint32_t)choice;
}

#endif
