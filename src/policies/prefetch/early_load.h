// SPDX-License-Identifier: MIT
// State of one load in the prefetcher `early`: its strides, the lines of an execution,
// the warp that executed it last, and the outcomes of its prefetches.
//
// A stride is used once it has been observed twice in a row. Strides by CTA are along a
// row of the grid and from row to row.
#ifndef POLICIES_PREFETCH_EARLY_LOAD_H
#define POLICIES_PREFETCH_EARLY_LOAD_H

#include "policies/prefetch/prefetch.h"

enum { EARLY_CTA_SLOTS = 64, EARLY_MOST_LINES = 8 };

// The stride that a prefetch goes by.
typedef enum Reason { FOR_WARP, FOR_LOOP, FOR_CTA, FOR_GATHER, REASONS } Reason;

typedef struct Stride {
  int64_t bytes;
  uint8_t trust;
} Stride;

// The first warp of a CTA that executed a load for the n-th time.
typedef struct Leader {
  uint64_t cta, address;
  uint32_t kernel, round;
  uint8_t warp;  // in its CTA
  bool is_known;
} Leader;

typedef struct Execution {
  uint64_t cta, address;
  uint32_t kernel, round;
  bool is_known;
} Execution;

// The lines of the current execution, as they are looked up, and those of the last
// complete one, as offsets from the line of the lowest lane.
typedef struct Footprint {
  uint64_t lines[EARLY_MOST_LINES];
  int64_t offsets[EARLY_MOST_LINES];
  uint64_t lowest;
  uint32_t line_count, offset_count;
  uint8_t warp;
  bool has_lowest;
} Footprint;

typedef struct EarlyLoad {
  uint32_t load;  // pc + 1; 0: free
  Cycle seen;
  uint32_t order;                  // among the loads of its kernel, by their first execution
  Stride warp, loop, row, column;  // row: along a row of the grid; column: from row to row
  uint64_t buffer, buffer_bytes;
  Footprint footprint;
  Leader latest;                    // of the CTA that began last
  Leader leaders[EARLY_CTA_SLOTS];  // by the CTA's place on the SM
  Execution last[PREFETCH_WARPS];   // by slot
  int32_t score[REASONS];           // of its prefetches: used against lost
  uint32_t pause[REASONS];          // executions for which it is left alone ...
  uint8_t pauses[REASONS];          // ... longer each time
} EarlyLoad;

// From one CTA to another, in columns and rows of the grid.
typedef struct CtaDistance {
  int64_t columns, rows;
} CtaDistance;

bool stride_is_trusted(const Stride *stride);
// A transaction of an execution; the lowest lane's is one of them.
void footprint_note(Footprint *footprint, const L1dAccess *access);
// Notes an execution; returns whether it is the first of its round in its CTA. A round is
// how often the warp has executed the load before.
bool early_load_note(EarlyLoad *load, const L1dAccess *access, uint32_t *round);
// Has the warp executed the load in this round, for the access's CTA?
bool early_load_has_run(const EarlyLoad *load, int slot, const Requester *requester,
                        uint32_t round);
// Has any warp of the CTA executed it?
bool early_load_is_led(const EarlyLoad *load, uint64_t cta, uint32_t kernel);
CtaDistance cta_distance(uint64_t grid_columns, uint64_t from, uint64_t to);
// The strides by CTA, from the bases of two CTAs.
void early_load_learn_cta(EarlyLoad *load, uint64_t grid_columns, const Leader *before,
                          const Leader *now);
// A prefetch was used or lost; returns whether prefetches for that reason pause from now on.
bool early_load_score(EarlyLoad *load, Reason reason, bool used);

#endif
