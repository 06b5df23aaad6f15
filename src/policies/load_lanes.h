// SPDX-License-Identifier: MIT
// The lanes of a load, for prefetchers that look at data: addresses, what was read there, and
// the elements behind it in the same line.
//
// They are noted when the load issues. A policy sees them when the load is looked up, and may act
// on data only once hardware has it: when an instruction that needs the load's result is looked up.
#ifndef POLICIES_LOAD_LANES_H
#define POLICIES_LOAD_LANES_H

#include <stdbool.h>
#include <stdint.h>

enum { LOAD_LANES = 32, LOAD_AHEAD = 4 };

typedef struct LoadLanes {
  uint32_t mask;   // active lanes
  uint32_t bytes;  // of each; of 4 and 8 the data is known
  bool has_data;
  uint32_t ahead_mask[LOAD_AHEAD];  // [k]: lanes whose element k + 1 further on is in the line
  uint64_t address[LOAD_LANES];
  uint64_t value[LOAD_LANES];
  uint64_t ahead[LOAD_AHEAD][LOAD_LANES];
} LoadLanes;

#endif
