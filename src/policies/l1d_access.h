// SPDX-License-Identifier: MIT
// A load that has been looked up in an SM's L1D, as its policies see it: one
// for each transaction of an instruction, in the order of lookups.
#ifndef POLICIES_L1D_ACCESS_H
#define POLICIES_L1D_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cycle.h"

// There; under way already; has to be fetched.
typedef enum L1dOutcome { L1D_HIT, L1D_MERGE, L1D_MISS } L1dOutcome;

typedef struct L1dAccess {
  Cycle now;
  uint64_t lane_address;  // what the lowest active lane of the instruction asked for
  uint64_t line;          // address of the line that was looked up
  uint32_t line_bytes;
  uint8_t outcome;        // L1dOutcome
  bool is_first;          // of the instruction's transactions
  bool is_local;          // local memory
  uint64_t buffer;        // address and size of the allocation that it lies in;
  uint64_t buffer_bytes;  // 0: not known
  uint32_t sm, warp;      // warp slot
  uint32_t kernel, pc;    // pc counts instructions of the program, whose kernels follow one another
  uint64_t cta;           // linear number in the grid
  // By slot: the number of the warp that is or was last in it, in its grid.
  const uint64_t *warp_numbers;
  // For prefetchers, and only if the warp scheduler groups: bit w: it treats
  // warp w as one with this one.
  uint64_t grouped_warps;
} L1dAccess;

#endif
