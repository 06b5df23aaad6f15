// SPDX-License-Identifier: MIT
// Fits the curve of the degree predictor (policies/throttle/degree_predictor.h)
// to profiles: DRAM reads of a launch with 1 to N CTAs per SM, and the counters of its
// sampled CTA.
//
// The logarithm of the hit rate falls by slope x logarithm of the uses of a line x
// width of the step in each segment, so the slopes are the solution of a non-negative
// linear least-squares problem. Launches of a program on a machine are weighted by
// accesses; all programs and machines have equal weight.
#ifndef BENCH_SUPPORT_DEGREE_FIT_H
#define BENCH_SUPPORT_DEGREE_FIT_H

#include "base/error.h"
#include "policies/throttle/degree_predictor.h"
#include "store/store.h"

typedef struct DegreeMeasured {
  double dram_reads, accesses, cta_cycles, cycles;  // of the launch; cta_cycles of a CTA
} DegreeMeasured;

// One launch of a program on one machine.
typedef struct DegreeProfile {
  char program[64], machine[64];
  uint32_t kernel;  // its number in the run
  uint32_t most;    // degrees that were measured: 1 to most, without gaps
  double ctas;
  bool is_sampled;  // else it keeps the default, and `sample` is empty
  DegreeSample sample;
  DegreeMeasured at[DEGREE_MAX];  // [degree - 1]
} DegreeProfile;

typedef struct DegreeProfiles {
  DegreeProfile *items;
  uint32_t count, capacity;
  uint64_t fit_lines;  // L1Ds with more lines are judged, but not fitted to; 0: fitted to all
} DegreeProfiles;

// Adds the runs of a store: those under throttles `all` and `fixed` are profiles, those
// under `sampled` have the samples. Several stores may be read; degree_profiles_close then
// keeps the complete profiles, in a fixed order.
Status degree_profiles_read(DegreeProfiles *profiles, Store *store, Error *err);
Status degree_profiles_close(DegreeProfiles *profiles, Error *err);
void degree_profiles_clear(DegreeProfiles *profiles);

// The coefficients that the policy `sampled` has with these parameters, such as
// "sampled:margin=0.1"; "sampled": its defaults.
Status degree_model_read(DegreeModel *model, const char *spec, Error *err);

// Replaces the slopes of the model; profiles of the program left_out (or NULL), and
// of L1Ds beyond fit_lines, have no part in it. Returns how many have.
uint32_t degree_fit(const DegreeProfiles *profiles, const char *left_out, DegreeModel *model);

// Which part of the prediction goes wrong? The degree chosen if DRAM reads by degree
// are as measured, so that only stages 2 and 3 predict; and if the time of a CTA is,
// so that nothing does. Launches that were not sampled keep the largest.
uint32_t degree_of_measured_reads(const DegreeModel *model, const DegreeProfile *profile);
uint32_t degree_of_measured_time(const DegreeProfile *profile);

#endif
