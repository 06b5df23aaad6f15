// SPDX-License-Identifier: MIT
// Steps and skips the four clock domains, in exact integer time.
#include "gpu/clock.h"

#include "base/divisor.h"

// Periods are integers in units of 1 / lcm microseconds, so that clocks do not drift.
void clock_init(Clock *clock, const uint32_t mhz[CLOCK_DOMAINS]) {
  *clock = (Clock){0};
  uint64_t lcm = 1;
  for (int d = 0; d < CLOCK_DOMAINS; d++) lcm = lcm / common_divisor(lcm, mhz[d]) * mhz[d];
  // Frequencies with hardly a common factor would make times overflow: round
  // periods to a thousandth of a picosecond instead.
  const uint64_t femtoseconds = UINT64_C(1000000000);
  if (lcm > femtoseconds * 100) lcm = femtoseconds;
  for (int d = 0; d < CLOCK_DOMAINS; d++) clock->period[d] = lcm / mhz[d];
}

void clock_align(Clock *clock) {
  for (int d = 0; d < CLOCK_DOMAINS; d++) clock->next[d] = 0;
}

void clock_shift(Clock *clock, ClockDomain domain, uint32_t amount) {
  clock->next[domain] += amount % clock->period[domain];
}

uint32_t clock_step(Clock *clock) {
  uint64_t now = clock->next[0];
  for (int d = 1; d < CLOCK_DOMAINS; d++)
    if (clock->next[d] < now) now = clock->next[d];
  uint32_t due = 0;
  for (int d = 0; d < CLOCK_DOMAINS; d++)
    if (clock->next[d] == now) due |= 1u << d;
  const uint32_t dram = 1u << CLOCK_DRAM;
  // If the DRAM ticks at the same time as other domains, it follows them in a separate step; at
  // time 0 all tick together. This results from GPGPU-Sim's floating-point sums.
  if (due != dram && now != 0) due &= ~dram;
  for (int d = 0; d < CLOCK_DOMAINS; d++)
    if (due >> d & 1) clock->next[d] += clock->period[d];
  return due;
}

// Ticks before `time`, which is later than the domain's next one or not.
static Cycle ticks_before(const Clock *clock, int d, uint64_t time) {
  if (clock->next[d] >= time) return 0;
  return (time - clock->next[d] + clock->period[d] - 1) / clock->period[d];
}

void clock_skip(Clock *clock, Cycle core_cycles, Cycle ticks[CLOCK_DOMAINS]) {
  uint64_t time = clock->next[CLOCK_CORE] + core_cycles * clock->period[CLOCK_CORE];
  for (int d = 0; d < CLOCK_DOMAINS; d++) {
    ticks[d] = ticks_before(clock, d, time);
    clock->next[d] += ticks[d] * clock->period[d];
  }
}

Cycle clock_core_cycles_before(const Clock *clock, ClockDomain domain, Cycle ticks) {
  if (ticks == NEVER) return NEVER;
  // Tick number `ticks` from now (the next is 0) must not be left out.
  uint64_t time = clock->next[domain] + ticks * clock->period[domain];
  if (time < clock->next[CLOCK_CORE]) return 0;
  return (time - clock->next[CLOCK_CORE]) / clock->period[CLOCK_CORE];
}
