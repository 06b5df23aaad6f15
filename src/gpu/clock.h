// SPDX-License-Identifier: MIT
// Clock domains. Each ticks at its own frequency; a step is the next moment at
// which any of them ticks, and says which. Times are exact: whole multiples of
// the time in which all clocks come round.
#ifndef GPU_CLOCK_H
#define GPU_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cycle.h"

typedef enum ClockDomain { CLOCK_CORE, CLOCK_NOC, CLOCK_L2, CLOCK_DRAM, CLOCK_DOMAINS } ClockDomain;

typedef struct Clock {
  uint64_t period[CLOCK_DOMAINS];  // in units of 1 / (lcm of the frequencies)
  uint64_t next[CLOCK_DOMAINS];    // time of the next tick
} Clock;

void clock_init(Clock *clock, const uint32_t mhz[CLOCK_DOMAINS]);
// All domains tick together at the next step, as at the start of a kernel.
void clock_align(Clock *clock);
// The domain ticks later by a part of its period, from the next tick on; call after clock_align.
void clock_shift(Clock *clock, ClockDomain domain, uint32_t amount);
// Returns the domains that tick now, as bits, and advances to the next step. If the DRAM
// ticks at the same time as others it follows them in a separate step, except at time 0.
// (This results from GPGPU-Sim's floating-point sums of periods.)
uint32_t clock_step(Clock *clock);
// Lets core cycles pass; ticks gets how many ticks of each domain are left out.
void clock_skip(Clock *clock, Cycle core_cycles, Cycle ticks[CLOCK_DOMAINS]);
// How many core cycles can be left out before the domain has ticked `ticks` times.
Cycle clock_core_cycles_before(const Clock *clock, ClockDomain domain, Cycle ticks);

#endif
