// SPDX-License-Identifier: MIT
// Sampled execution of launches (docs/sampling.md). Each launch that may not have to be timed whole
// is first executed functionally: that gives the program's results and a profile. Then one of three
// things happens:
//
//   projected   timed launches like it stand for it
//   in part     memory goes back; the first waves, some in between and the tail are timed, the rest
//               is projected; memory goes forward again to the results of functional execution
//   whole       memory goes back; it is timed as in any run
#ifndef DEVICE_LAUNCHES_SAMPLER_H
#define DEVICE_LAUNCHES_SAMPLER_H

#include "exec/memory/page_log.h"
#include "gpu/gpu.h"
#include "report/run_result.h"
#include "sampling/kernel_screen.h"
#include "sampling/launch_streaks.h"
#include "sampling/period_sampler.h"
#include "sampling/sample_options.h"

typedef struct Sampler {
  bool is_on;
  SampleOptions options;
  const GpuConfig *config;
  const volatile sig_atomic_t *stop;  // not NULL: a functional pass stops soon when it becomes true
  // lent by the engine for one call
  Gpu *gpu;
  ExecContext *context;
  // of the launch that is in flight
  Launch *launch;  // NULL: none, or one that is timed whole
  LaunchSignature signature;
  LaunchProfile profile;
  bool has_profile;
  bool is_projectable;  // launches like it may be
  bool is_independent;  // none of its CTAs waits for another
  PageLog log;
  StoreQueue stores;
  WaveSampler waves;      // of a kernel of many waves
  PeriodSampler periods;  // of a long one of few
  CtaSampler ctas;
  KernelSampling sampling;
  MachineStats projected, halves;  // of it
  Estimate estimate;
  // of the run
  LaunchGroups groups;
  LaunchStreaks streaks;
  bool is_l2_stale;    // the launch before was projected without warming it
  uint64_t previous;   // digest of the launch before
  MachineStats added;  // projected, all launches: what the machine's counters lack
  double *common,
      *each;  // in the result's arena, by counter: sums of half-widths that add up; of squares
  MachineStats *total_halves;  // the same
  RunSampling *result;
} Sampler;

void sampler_init(Sampler *sampler, const SampleOptions *options, const GpuConfig *config,
                  RunResult *result);
// The GPU goes: what was projected is in the engine's counters. It can be used again.
void sampler_close(Sampler *sampler);

// Executes the launch functionally. True: it is projected, its record is filled in and memory has
// its results. False: memory is as before, and the launch is to be timed; then sampler_end.
bool sampler_begin(Sampler *sampler, Launch *launch);
// The timed launch has completed: completes its counters. Before its record is handed on.
void sampler_complete(Sampler *sampler, Launch *launch);
// The timed launch is over, or has failed.
void sampler_end(Sampler *sampler, Status status);
// Adds what was projected to the machine's counters, and works out their intervals.
void sampler_report(const Sampler *sampler, MachineStats *total);
// A launch that is not sampled: it overlaps others.
void sampler_note_whole(Sampler *sampler, const Launch *launch, const char *reason);

#endif
