// SPDX-License-Identifier: MIT
// Throttle: half of the CTAs that would fit, at least one.
#include "policies/plugin.h"
#include "policies/throttle/throttle.h"

static uint32_t half_limit(void *state, const ThrottleView *view) {
  (void)state;
  return (view->kernel->max_ctas_per_sm + 1) / 2;
}

static const ThrottleType half = {
    .policy = {.name = "half", .summary = "half of the CTAs that fit"},
    .limit = half_limit,
};
POLICY_PLUGIN("throttle", half);
