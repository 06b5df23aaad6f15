// SPDX-License-Identifier: MIT
// The same number for every SM and kernel, for searches by hand.
#include "policies/throttle/throttle.h"

typedef struct Fixed {
  uint32_t ctas;  // parameter
} Fixed;

static uint32_t fixed_limit(void *state, const ThrottleView *view) {
  (void)view;
  return ((const Fixed *)state)->ctas;
}

static const Param fixed_params[] = {PARAM(Fixed, ctas, 1, 1, 64, "CTAs per SM"), {0}};

const ThrottleType fixed_throttle = {
    .policy = {.name = "fixed",
               .summary = "the same number on every SM",
               .state_size = sizeof(Fixed),
               .params = fixed_params},
    .limit = fixed_limit,
};
