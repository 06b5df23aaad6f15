// SPDX-License-Identifier: MIT
// What miss_tally.c keeps, for the policies that share it.
#ifndef MISS_TALLY_H
#define MISS_TALLY_H

#include "policies/shared/shared.h"

typedef struct MissTally {
  uint64_t *misses;  // by warp slot
  uint64_t total;
} MissTally;

#endif
