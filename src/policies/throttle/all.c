// SPDX-License-Identifier: MIT
// As many CTAs as fit. The policy is not even asked.
#include "policies/throttle/throttle.h"

const ThrottleType all_throttle = {
    .policy = {.name = "all", .summary = "as many as fit"},
};
