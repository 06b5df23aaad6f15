// SPDX-License-Identifier: MIT
// The level of `early`, found by trial.
#include "policies/prefetch/early_throttle.h"

const uint32_t early_level_percent[EARLY_LEVELS] = {101, 60, 20};

// While the same level wins, trials become rarer: one of their epochs is without prefetching.
static void choose(EarlyThrottle *throttle) {
  throttle->level = 0;
  for (uint32_t i = 1; i < EARLY_LEVELS; i++)
    if (throttle->loads[i] >= throttle->loads[throttle->level]) throttle->level = i;
  if (throttle->level != throttle->best)
    throttle->period = EARLY_PERIOD;
  else if (throttle->period * 2 <= throttle->longest)
    throttle->period *= 2;
  throttle->best = throttle->level;
}

bool early_throttle_note(EarlyThrottle *throttle, Cycle now, bool holds) {
  if (holds) {
    throttle->level = throttle->best;
    throttle->phase = throttle->period - 1;
    throttle->epoch_end = now;
    return false;
  }
  if (now < throttle->epoch_end) {
    if (throttle->phase < EARLY_LEVELS) throttle->loads[throttle->phase]++;
    return false;
  }
  throttle->epoch_end = now + throttle->epoch_cycles;
  throttle->phase = (throttle->phase + 1) % throttle->period;
  if (throttle->phase < EARLY_LEVELS) {
    throttle->level = throttle->phase;
    throttle->loads[throttle->phase] = throttle->loads[throttle->phase] * throttle->memory / 8;
  }
  if (throttle->phase != EARLY_LEVELS) return false;
  choose(throttle);
  return true;
}
