// SPDX-License-Identifier: MIT
// Outcomes of cache lookups, and the level that served a request.
#ifndef POLICIES_OUTCOME_H
#define POLICIES_OUTCOME_H

typedef enum Outcome {
  OUTCOME_HIT,     // it is there
  OUTCOME_MERGE,   // it is in flight already
  OUTCOME_MISS,    // it has to be fetched
  OUTCOME_BYPASS,  // it was not looked up
  OUTCOMES
} Outcome;

// The farthest place that a request had to go to. A merge waited for another
// request of its SM.
typedef enum ServedBy {
  SERVED_BY_L1,
  SERVED_BY_MERGE,
  SERVED_BY_L2,
  SERVED_BY_DRAM,
  SERVED_BY_COUNT
} ServedBy;

#endif
