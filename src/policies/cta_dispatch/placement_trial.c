// SPDX-License-Identifier: MIT
// Epochs and decisions of trials that compare two placements of CTAs.
#include "policies/cta_dispatch/placement_trial.h"

enum { MEASURED_WAVES = 2, MOST_FAILURES = 6 };

static void settle(PlacementTrial *trial, uint64_t resident) {
  trial->is_measuring = false;
  trial->ends_left = resident + 1;
}

static void measure(PlacementTrial *trial, Cycle now, uint64_t work, uint64_t resident) {
  trial->is_measuring = true;
  trial->ends_left = MEASURED_WAVES * (resident + 1);
  trial->began = now;
  trial->work_before = work;
}

bool placement_trial_on_end(PlacementTrial *trial, Cycle now, uint64_t work, uint64_t resident,
                            double *rate) {
  if (!trial->has_begun) {
    trial->has_begun = true;
    trial->phase = TRIAL_EPOCHS;
    settle(trial, resident);
  }
  if (trial->ends_left) trial->ends_left--;
  if (trial->ends_left) return false;
  if (!trial->is_measuring) {
    measure(trial, now, work, resident);
    return false;
  }
  if (now < trial->began + trial->least_cycles) return false;
  *rate = (double)(work - trial->work_before) / (double)(now - trial->began);
  trial->epochs++;
  trial->epochs_other += trial->is_other;
  settle(trial, resident);
  return true;
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

// Usual, other, usual.
static void end_trial(PlacementTrial *trial) {
  const double *rates = trial->rates;
  bool is_faster = rates[1] > larger(rates[0], rates[2]) * (1 + trial->margin);
  trial->is_other = is_faster;
  trial->taken += is_faster;
  if (is_faster) {
    trial->failures = 0;
    trial->wait = trial->hold_epochs;
    return;
  }
  trial->wait = trial->rest_epochs << trial->failures;
  if (trial->failures < MOST_FAILURES) trial->failures++;
}

// Other, usual, other. At the end of a program both of its neighbours may be slow for another
// reason, but then nothing is lost by returning to the usual placement.
static void end_check(PlacementTrial *trial) {
  const double *rates = trial->rates;
  trial->is_other = rates[1] < (rates[0] + rates[2]) / 2;
  trial->given_up += !trial->is_other;
  trial->wait = trial->is_other ? trial->hold_epochs : trial->rest_epochs;
}

static void begin(PlacementTrial *trial, double rate) {
  trial->rates[0] = rate;
  trial->phase = 1;
  trial->trials += !trial->is_other;
  trial->is_other = !trial->is_other;
}

void placement_trial_next(PlacementTrial *trial, double rate, bool may_try) {
  if (trial->phase == TRIAL_EPOCHS) {
    if (trial->wait) trial->wait--;
    if (!trial->wait && (may_try || trial->is_other)) begin(trial, rate);
    return;
  }
  trial->rates[trial->phase++] = rate;
  bool was_other = trial->is_other;
  if (trial->phase < TRIAL_EPOCHS) {
    trial->is_other = !was_other;
    return;
  }
  // The last epoch of a trial had the usual placement, that of a check the other.
  if (was_other)
    end_check(trial);
  else
    end_trial(trial);
}
