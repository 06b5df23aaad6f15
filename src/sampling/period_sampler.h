// SPDX-License-Identifier: MIT
// Sampling inside a long kernel of few waves, of which wave_sampler.h would leave out none. Its
// resident CTAs are of one age and go through their phases together: throughput differs within a
// wave, and repeats from wave to wave. So what is measured is a period: what the machine counts
// while it executes as many warp instructions as a wave of CTAs has. It is measured from every
// point of a wave on, each time with one change from CTA to CTA; when the periods of half a wave
// agree, whole waves are left out once, and the CTAs that remain are dispatched at once. In the
// steady state nothing else changes: it is as if time had been cut.
//
//   period_sampler_look   in the cycle that it named: shows it the machine's counters
//   period_sampler_end    when the kernel has completed: what was left out, projected
//
// Counters are a row of uint64_t; the first is the cycle.
#ifndef SAMPLING_PERIOD_SAMPLER_H
#define SAMPLING_PERIOD_SAMPLER_H

#include "sampling/wave_sampler.h"

// Counters, by index.
typedef struct PeriodCounters {
  size_t count, work, retired;  // warp instructions; CTAs that have completed
  size_t accesses, writes;      // of the L2
  size_t write_backs;           // from there, in DRAM
  double write_back_size;       // in writes
  const WaveRatio *ratios;      // that have to be steady, besides cycles
  size_t ratio_count;
} PeriodCounters;

typedef struct PeriodSampler {
  // what it is asked to do
  double error;
  uint64_t cta_count, wave_ctas;
  const uint64_t *before;  // by CTA: warp instructions of all before it; cta_count + 1 of them
  PeriodCounters counters;
  double start_up;  // warp instructions until periods count
  // state
  uint64_t next;    // the cycle in which it wants to look; or WAVE_NEVER
  uint64_t every;   // cycles from look to look
  uint64_t *looks;  // rows of counters, the first before the kernel began
  uint32_t count;
  uint64_t first, left_out;  // CTAs; 0: none has been
  uint64_t ahead;            // of the timed ones, CTAs of a wave that was left out
} PeriodSampler;

// False if a grid is too small to leave anything out.
bool period_sampler_fits(uint64_t cta_count, uint64_t wave_ctas);
// Of a grid that fits. now: the counters before it begins.
void period_sampler_begin(PeriodSampler *sampler, const PeriodSampler *wanted, const uint64_t *now);
void period_sampler_clear(PeriodSampler *sampler);

// Returns how many CTAs to leave out now, of those from `dispatched` on: possibly all of them.
uint64_t period_sampler_look(PeriodSampler *sampler, const uint64_t *counters, uint64_t dispatched);

// The kernel has completed with these counters: adds the estimate of what was left out.
void period_sampler_end(PeriodSampler *sampler, const uint64_t *counters, Estimate *estimate);

#endif
