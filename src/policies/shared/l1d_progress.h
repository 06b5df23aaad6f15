// SPDX-License-Identifier: MIT
// Progress of an SM as its L1D sees it: loads looked up, hits, and loads that missed although the
// SM had read the line before ("lost"). Policies of the GPU compare placements by it: a program
// makes the same loads under every placement, so that loads per cycle are its speed.
//
// Lost lines are found by tags of lines that were read, one in `sample` of them, in a direct-mapped
// table: what an L1D `sample` x `tags` lines large would have kept, about.
#ifndef POLICIES_SHARED_L1D_PROGRESS_H
#define POLICIES_SHARED_L1D_PROGRESS_H

#include "policies/shared/shared.h"

typedef struct L1dProgress {
  uint32_t tags, sample;  // parameters
  uint64_t *read;         // lines + 1
  uint64_t loads, hits;
  uint64_t sampled,
      lost;  // loads of sampled lines, and those of them that missed a line read before
} L1dProgress;

#endif
