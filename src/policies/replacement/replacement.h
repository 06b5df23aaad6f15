// SPDX-License-Identifier: MIT
// Replacement: which way of a set is evicted for a new line.
//
// To add one, write a file in this folder that defines a ReplacementType and list it in
// replacements.def. There is one state per cache; PolicySetup.part is its CacheShape.
// The cache itself prefers invalid ways, and never offers ways with a pending fill.
#ifndef POLICIES_REPLACEMENT_REPLACEMENT_H
#define POLICIES_REPLACEMENT_REPLACEMENT_H

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

// For policies: the candidate with the earliest time, the lowest way of several.
static inline uint32_t replacement_earliest(uint64_t candidates, const Cycle *times) {
  uint32_t best = (uint32_t)__builtin_ctzll(candidates);
  Cycle earliest = times[best];
  for (uint64_t left = candidates & (candidates - 1); left; left &= left - 1) {
    uint32_t way = (uint32_t)__builtin_ctzll(left);
    // Branchless: the host could not predict the choice.
    best = times[way] < earliest ? way : best;
    earliest = cycle_earlier(times[way], earliest);
  }
  return best;
}

#endif
