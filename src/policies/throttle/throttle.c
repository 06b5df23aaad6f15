// SPDX-License-Identifier: MIT
// The family table of throttles, and the checked limit.
#include "policies/throttle/throttle.h"

#define THROTTLE(name) extern const ThrottleType name##_throttle;
#include "policies/throttle/throttles.def"
#undef THROTTLE

static const PolicyType *const types[] = {
#define THROTTLE(name) &name##_throttle.policy,
#include "policies/throttle/throttles.def"
#undef THROTTLE
    NULL};

const PolicyFamily throttle_family = {
    .name = "throttle", .question = "how many CTAs may an SM hold?", .types = types};

uint32_t throttle_limit(const ThrottleType *type, void *state, const ThrottleView *view) {
  uint32_t limit = type->limit(state, view);
  POLICY_REQUIRE(type, limit >= 1);
  return limit;
}
