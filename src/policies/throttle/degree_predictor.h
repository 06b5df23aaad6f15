// SPDX-License-Identifier: MIT
// How long a CTA takes when N of them share an SM, predicted from one that ran
// alone: Yen, "A Cache Behavior Aware Multithreading Degree Decision Scheme on
// GPGPUs", thesis, National Chiao Tung University 2014, section 5.1.
//
// A degree is a number of CTAs per SM. From degree N-1 to N the time of a CTA
// grows by three factors: more DRAM reads, because CTAs evict one another's
// lines; a longer latency of each; and a busier pipeline. Their product along
// the chain from 1 to N is the CTA's time; the degree with the most CTAs per
// time wins. Pure functions: no state, nothing of the machine.
#ifndef POLICIES_THROTTLE_DEGREE_PREDICTOR_H
#define POLICIES_THROTTLE_DEGREE_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

enum { DEGREE_SEGMENTS = 5, DEGREE_MAX = 64 };

// Every coefficient. The thresholds are the thesis's; it leaves the curve of the
// first stage open ("a segmented curve fitted to the observed data"), so knots
// and slopes are fitted (docs/studies/threads.md).
typedef struct DegreeModel {
  // Stage 1. The fraction of accesses that need no DRAM read falls as a power of the
  // pressure, the working set of all CTAs over capacity. knot[i] ends segment i, the last
  // segment is open; slope[i] is its exponent for a CTA that uses each line twice, and grows
  // with the logarithm of the uses of a line, because evicted lines are missed more often.
  double knot[DEGREE_SEGMENTS - 1], slope[DEGREE_SEGMENTS];
  // Stage 2.
  double memory_bound;                      // DRAM reads per warp instruction
  double miss_low, miss_middle, miss_high;  // miss rates
  double set_large, set_huge;               // working set of a CTA over capacity
  double delta_large, delta_huge;           // growth of the miss rate
  double latency_small, latency_medium, latency_large, latency_huge;
  // Stage 3.
  double pipeline_warps;  // hide the latencies of instructions; up to these, no effect
  double reads_many;  // DRAM reads of a CTA over capacity
  double pipeline_fits, pipeline_medium, pipeline_many;
  // The choice. Beyond the thesis, which takes the degree with the most CTAs per time:
  // the largest degree that comes within this share of the most is chosen.
  double margin;
} DegreeModel;

// Counters of the sampled CTA, alone on its SM, and the capacity of the cache.
typedef struct DegreeSample {
  uint64_t cycles, warp_instructions;
  uint64_t accesses, dram_reads;   // of the L1D; that DRAM answered
  uint64_t dram_atomics;           // atomics, which pass the L1D by, that DRAM answered
  uint64_t warps;                  // of a CTA
  // Its working set: distinct lines that it needed in the L1D, and accesses to them. The thesis's
  // L1D is read-only (2.1): a line that is only stored to does not compete for it (5.1).
  uint64_t lines, line_uses;
  uint64_t loads, latency_cycles;  // completed; summed
  uint64_t capacity_lines;         // of the L1D
} DegreeSample;

// Prediction for one degree. Factors are relative to the previous degree; those of degree 1
// are 1.
typedef struct DegreeStep {
  double miss_rate, dram_reads;  // DRAM reads per access; per CTA
  double dram_growth, latency_growth, pipeline_growth;
  double cta_cycles;
} DegreeStep;

// DRAM reads over accesses; 0 without accesses.
double degree_miss_rate(const DegreeSample *sample);
// Whether DRAM reads per warp instruction exceed the threshold. An atomic that DRAM
// answers reads it, too, although neither cache nor degree changes that.
bool degree_is_memory_bound(const DegreeModel *model, const DegreeSample *sample);

// How much of the way from one pressure to another, by the logarithm, lies in
// each segment.
void degree_segment_widths(const DegreeModel *model, double from, double to,
                           double widths[DEGREE_SEGMENTS]);
// Stage 1: DRAM reads at a pressure over those at a lower one (equation 2), for
// a CTA with this miss rate at the lower one that uses each of its lines so many
// times. At least 1, at most 1 / miss_rate.
double degree_dram_growth(const DegreeModel *model, double miss_rate, double uses_of_line,
                          double pressure_before, double pressure);
// Stage 2, from the predicted miss rate, its growth since the degree before, and
// the working set of a CTA over the capacity.
double degree_latency_growth(const DegreeModel *model, double miss_rate, double miss_delta,
                             double set_over_capacity);
// Stage 3, from the warps of all CTAs, and from the working set of all CTAs and the DRAM
// reads of one, both over the capacity. Section 4.4: "To cover these latencies, 10 warps for
// multithreading is enough. If the multithreading degree is higher than the pipeline ALU
// latencies, the execution time of a single warp is lengthened." So up to 10 warps it is not.
// The thesis's CTAs have 6 warps: there it applies from degree 2 on.
double degree_pipeline_growth(const DegreeModel *model, double warps, double pressure,
                              double reads_over_capacity);

// Fills in steps[0] to steps[most - 1], for degrees 1 to most, and returns the
// best degree: the largest for compute-bound kernels, else that with the most
// CTAs per time, of equals the smaller; with a margin, the largest within it. most
// is 1 to DEGREE_MAX.
uint32_t degree_predict(const DegreeModel *model, const DegreeSample *sample, uint32_t most,
                        DegreeStep *steps);

#endif
