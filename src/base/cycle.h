// SPDX-License-Identifier: MIT
// Moments and spans of simulated time, counted in cycles of some clock.
#ifndef BASE_CYCLE_H
#define BASE_CYCLE_H

#include <stdint.h>

typedef uint64_t Cycle;
#define NEVER UINT64_MAX

static inline Cycle cycle_earlier(Cycle a, Cycle b) { return a < b ? a : b; }

#endif
