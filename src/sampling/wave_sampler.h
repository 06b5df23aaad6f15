// SPDX-License-Identifier: MIT
// Sampling inside a kernel. CTAs leave in waves, as many as the GPU holds at once. A few waves are
// timed; while their throughput is steady, the next ones are left out, more each time; then two are
// timed again. The first of these is a mixture: CTAs from before the gap complete, and caches hold
// what CTAs have brought there that were not timed. What it counted is replaced by the projection.
// The first wave (start-up) and the last ones are always timed, so that what is left out lies
// between two timed waves of full residency.
//
//   wave_sampler_reach   whenever as many CTAs as it named have been dispatched
//   wave_sampler_end     when the kernel has completed: what was left out, projected
//
// Work is measured in warp instructions, which functional execution has counted for every CTA. The
// machine's counters are a row of uint64_t; the first is the cycle.
#ifndef SAMPLING_WAVE_SAMPLER_H
#define SAMPLING_WAVE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WAVE_NEVER UINT64_MAX

// Estimated counters of work that was not timed, and how far the truth may be from them (95 %).
typedef struct Estimate {
  double *values, *halves;  // by counter
  double *each;             // part of `halves` that is independent from one estimate to the next
} Estimate;

// A rate that is to be as steady as cycles: of hits among accesses. Counters, by index.
typedef struct WaveRatio {
  size_t part, whole;
} WaveRatio;

enum { WAVE_RATIOS = 4 };  // at most

typedef struct Wave {
  double work;
  double *rates;  // by counter, per warp instruction
} Wave;

typedef struct Gap {
  uint32_t wave;  // the timed one before it; the next is behind it
  uint64_t first, end;
  double work;
  double mixed_work;         // of the mixed wave behind it
  uint64_t *mixed_counters;  // what it counted
} Gap;

typedef struct WaveSampler {
  // what it is asked to do
  double error;
  uint64_t cta_count, wave_ctas;
  const uint64_t *before;  // by CTA: warp instructions of all before it; cta_count + 1 of them
  size_t counter_count;
  uint64_t start_up;        // CTAs: waves that begin before them do not count; the first never does
  const WaveRatio *ratios;  // that have to be steady, too
  size_t ratio_count;
  // state
  uint64_t next;       // dispatched CTAs at which it wants to be asked; or WAVE_NEVER
  uint64_t reached;    // where the wave began that is being timed
  uint64_t timed_end;  // end of the CTAs that had been dispatched before: less by those left out
  uint64_t *counters;  // at that point
  bool is_mixed;       // the wave that is being timed follows a gap
  uint32_t stride;     // waves to leave out next
  // Squares of what gaps have added to the errors of cycles and ratios: they are independent.
  double spent[1 + WAVE_RATIOS];
  Wave *waves;
  uint32_t wave_count, wave_capacity;
  Gap *gaps;
  uint32_t gap_count, gap_capacity;
} WaveSampler;

// False if a grid is too small to leave anything out.
bool wave_sampler_fits(uint64_t cta_count, uint64_t wave_ctas);
// Of a grid that fits.
void wave_sampler_begin(WaveSampler *sampler, double error, uint64_t cta_count, uint64_t wave_ctas,
                        const uint64_t *before, size_t counter_count);
void wave_sampler_clear(WaveSampler *sampler);

// `next` CTAs have been dispatched or left out. Returns how many to leave out now.
uint64_t wave_sampler_reach(WaveSampler *sampler, const uint64_t *counters);

// Adds the estimate of all gaps.
void wave_sampler_end(const WaveSampler *sampler, Estimate *estimate);
uint64_t wave_sampler_skipped(const WaveSampler *sampler);  // warp instructions

#endif
