// SPDX-License-Identifier: MIT
// A load that has been looked up in an SM's L1D, as its policies see it: one
// for each transaction of an instruction, in the order of lookups.
#ifndef POLICIES_L1D_ACCESS_H
#define POLICIES_L1D_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cycle.h"
#include "policies/load_lanes.h"
#include "policies/outcome.h"
#include "policies/requester.h"

typedef struct L1dAccess {
  Cycle now;
  Requester requester;
  uint64_t lane_address;  // address of the lowest active lane of the instruction
  uint64_t line;          // address of the line that was looked up
  uint32_t line_bytes;
  uint8_t outcome;        // Outcome
  bool is_lowest;         // the transaction of that lane: one per instruction
  bool is_local;          // local memory
  uint64_t buffer;        // address and size of the allocation that it lies in;
  uint64_t buffer_bytes;  // 0: not known
  uint64_t cta_warps;     // bit w: warp slot w is of the same CTA
  uint32_t mshrs_free;    // of the L1D, after the lookup
  // By slot: the number of the warp that is or was last in it, in its grid.
  const uint64_t *warp_numbers;
  // Of the instruction; NULL: not of global memory, or no prefetcher that reads data.
  const LoadLanes *lanes;
} L1dAccess;

#endif
