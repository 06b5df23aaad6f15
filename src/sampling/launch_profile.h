// SPDX-License-Identifier: MIT
// What functional execution sees of a launch: the work of each CTA, how it accesses memory, and the
// accesses at its end, which warm caches.
#ifndef SAMPLING_LAUNCH_PROFILE_H
#define SAMPLING_LAUNCH_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "sampling/touched_lines.h"

// By which launches of one kernel are compared.
typedef enum Feature {
  FEATURE_WARP_INSTRUCTIONS,
  FEATURE_THREAD_INSTRUCTIONS,
  FEATURE_READS,        // lines that accesses of global memory touch, each access by itself
  FEATURE_WRITES,       // ... of stores and atomics
  FEATURE_SHARED,       // accesses of shared memory
  FEATURE_FOOTPRINT,    // different lines: reads and writes by it are the reuse
  FEATURE_ABSENT,       // ... that the L2 does not hold when the launch begins
  FEATURE_LARGEST_CTA,  // warp instructions
  FEATURES
} Feature;

// A line that was touched, for warming.
typedef struct LineTouch {
  uint64_t address;
  uint8_t sectors, full;
  bool is_write;
} LineTouch;

enum { PROFILE_TOUCHES = 1 << 19 };  // that are kept, the latest

typedef struct LaunchProfile {
  uint64_t *before;  // by CTA, and one more: warp instructions of all CTAs before it
  uint64_t cta_count, cta_capacity;
  double features[FEATURES];
  LineTouch *touches;
  uint64_t touch_count;                             // since it began: more than are kept
  uint64_t *seen;                                   // bits by hash of a line
  bool (*is_cached)(void *self, uint64_t address);  // in the L2; NULL: nothing is
  void *is_cached_self;
} LaunchProfile;

void launch_profile_begin(LaunchProfile *profile, uint64_t cta_count);
void launch_profile_clear(LaunchProfile *profile);

void launch_profile_cta(LaunchProfile *profile, uint64_t cta, uint64_t warp_instructions);
void launch_profile_global(LaunchProfile *profile, const uint64_t *address, uint32_t mask,
                           uint32_t bytes, bool is_write);
static inline void launch_profile_shared(LaunchProfile *profile) {
  profile->features[FEATURE_SHARED]++;
}
// All CTAs have been told: sums up.
void launch_profile_end(LaunchProfile *profile, uint64_t thread_instructions);

// The kept touches, oldest first: from launch_profile_first up to touch_count.
uint64_t launch_profile_first(const LaunchProfile *profile);
static inline const LineTouch *launch_profile_touch(const LaunchProfile *profile, uint64_t i) {
  return &profile->touches[i % PROFILE_TOUCHES];
}

// How many different things set so many of `bits` bits, each one by its hash (linear counting).
double linear_count(uint64_t set, uint64_t bits);

#endif
