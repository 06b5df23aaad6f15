// SPDX-License-Identifier: MIT
// For dispatch policies: tries another placement of CTAs against the usual one, and keeps it only
// while it is faster.
//
// Time is divided into epochs, counted in completed CTAs, not in cycles: an epoch first waits until
// as many have completed as were resident when it began, which are of the last placement, then
// measures the work done per cycle until twice as many more have. A trial has three epochs: usual,
// other, usual. The other placement is taken if it did more work per cycle than both of the usual
// ones by `margin`: if the program drifts, one of the two neighbours shows it. Later it is checked
// in the same way, other, usual, other, and given up if the usual one is as fast as their mean.
// Trials that fail are repeated at intervals that double.
//
// A trial does not begin while too little can be gained: the caller decides from the last epoch
// (TrialEpoch).
#ifndef POLICIES_CTA_DISPATCH_PLACEMENT_TRIAL_H
#define POLICIES_CTA_DISPATCH_PLACEMENT_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cycle.h"

enum { TRIAL_EPOCHS = 3 };

typedef struct PlacementTrial {
  double margin;          // relative gain that the other placement must show
  uint32_t least_cycles;  // of the measured part of an epoch
  uint32_t rest_epochs;   // between a failed trial and the next, the first time
  uint32_t hold_epochs;   // between a success and its check
  // state
  bool is_other;  // the placement that holds
  bool has_begun, is_measuring;
  uint32_t phase;           // epoch of the trial or check; TRIAL_EPOCHS: none in progress
  uint32_t wait, failures;  // epochs until the next; trials in a row without a gain
  uint64_t ends_left;       // completions until the part of the epoch is over
  Cycle began;              // of the measured part
  uint64_t work_before;
  double rates[TRIAL_EPOCHS];
  // counters
  uint64_t epochs, trials, taken, given_up, epochs_other;
} PlacementTrial;

// A CTA has completed: `work` done since the start of the run, CTAs still resident. True: an epoch
// has ended; *rate is its work per cycle.
bool placement_trial_on_end(PlacementTrial *trial, Cycle now, uint64_t work, uint64_t resident,
                            double *rate);
// After an epoch: decides what comes next. may_try: a new trial is worthwhile.
void placement_trial_next(PlacementTrial *trial, double rate, bool may_try);

#endif
