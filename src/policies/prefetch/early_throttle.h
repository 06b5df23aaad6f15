// SPDX-License-Identifier: MIT
// How eagerly `early` prefetches: levels, of which one is off, compared by trial.
//
// A level is the share of MSHRs that must be free. The levels are tried in turn, one epoch each;
// the one with the highest rate of loads holds for the rest of the period.
#ifndef POLICIES_PREFETCH_EARLY_THROTTLE_H
#define POLICIES_PREFETCH_EARLY_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cycle.h"

enum { EARLY_LEVELS = 3, EARLY_PERIOD = 16 };
extern const uint32_t early_level_percent[EARLY_LEVELS];

typedef struct EarlyThrottle {
  uint32_t epoch_cycles, longest;  // parameters: of a trial; epochs of a period at most
  uint32_t memory;                 // eighths of earlier trials' counts that count in the next
  Cycle epoch_end;
  uint32_t phase, period;  // epoch of the period, and epochs in it
  uint32_t level;
  uint32_t best;                 // of the last trials
  uint64_t loads[EARLY_LEVELS];  // of the level's trials
} EarlyThrottle;

// A load was looked up. `holds`: another policy compares its own settings, so that the level stays;
// trials begin anew after that. True if trials have just been decided.
bool early_throttle_note(EarlyThrottle *throttle, Cycle now, bool holds);

#endif
