// SPDX-License-Identifier: MIT
// Executes kernels of CUDA programs and case files: on a simulated GPU, functionally, or
// both in turn, on one memory. It adds every kernel to a result and enforces the limits
// of a run.
//
//   engine_open, engine_run for each launch or engine_submit and engine_advance, engine_close.
//   It can be reopened after a device reset.
//
// Launches that the options do not select run functionally between the others, with
// identical values, and do not affect caches and counters of the GPU.
#ifndef DEVICE_LAUNCHES_ENGINE_H
#define DEVICE_LAUNCHES_ENGINE_H

#include "device/launches/launched_kernels.h"
#include "device/recording/recorder.h"
#include "run/kernel_choice.h"
#include "device/launches/forwarding.h"
#include "device/launches/sampler.h"
#include "device/process/progress.h"
#include "observers/attach/untimed_observers.h"
#include "functional/functional.h"
#include "gpu/gpu.h"
#include "races/races.h"
#include "report/run_result.h"

typedef struct EngineOptions {
  bool is_functional;
  const char *observe;         // as observers_attach reads it; outlives the engine
  const char *check;           // NULL or empty: none; else as race_options_read has it
  const KernelChoice *choice;  // NULL: all launches
  const SampleOptions *sample;  // NULL: no sampling
  ForwardOptions forward;       // launches that come before timing begins
  GpuOptions machine;          // the engine sets its own callbacks
  void (*print)(void *sink, const char *text, size_t length);  // the kernels' printf
  void *print_sink;
  void (*warn)(void *sink, const char *text);  // warnings, one per call; may be NULL
  void *warn_sink;
  Progress *progress;  // NULL: not shown
  uint64_t *completed;  // counts the host's launches; may be NULL
  Recorder *recorder;   // NULL: the run is not recorded
} EngineOptions;

typedef struct Engine {
  const GpuConfig *config;  // both outlive it
  RunResult *result;
  EngineOptions options;
  // while it is open
  DeviceMemory *memory;  // NULL: it is not
  TextureTable *textures;
  Gpu *gpu;             // NULL: without time
  ExecContext context;  // without time
  UntimedObservers untimed_observers;
  Races *races;               // NULL: not checked
  uint32_t pending_launches;  // that kernels may have; 0: as configured
  // results so far
  MachineStats total;       // of destroyed GPUs
  MachineStats *reported;   // and of the one that is there; the result's
  bool has_opened;          // once
  bool gpu_has_run;         // the one that is there
  bool has_tables;          // the result has those of one that is gone
  uint32_t kept_races;      // of checks that are closed, in the result
  uint64_t untimed;         // launches of the host
  Sampler sampler;
  Forwarding forwarding;
  LaunchedKernels launched;  // if there is a choice
  // of the host's time, since a kernel has last completed
  Seconds last, carried;  // when that was; what was spent before the GPU was left
} Engine;

void engine_init(Engine *engine, const GpuConfig *config, RunResult *result,
                 const EngineOptions *options);
Status engine_open(Engine *engine, Error *err);
// The result keeps the counters and tables of the GPU.
void engine_close(Engine *engine);

// Call after allocating or freeing memory.
void engine_forget_allocations(Engine *engine);
// Whether the launch runs on the GPU; else it runs functionally, at once.
bool engine_is_timed(const Engine *engine, const Launch *launch);
// The host copies memory of the device to its own.
void engine_note_host_read(Engine *engine);
// Runs one launch to its end; no other may be in flight. The record stays the caller's.
Status engine_run(Engine *engine, Launch *launch, Error *err);

// Several at a time. Hands a timed launch to the GPU, which may be running others; the record must
// stay until its `over` is set. Launches of a stream run in order.
Status engine_submit(Engine *engine, Launch *launch, Error *err);
// Lets the GPU run until a launch of the host has completed or its clock has reached `until`.
Status engine_advance(Engine *engine, Cycle until, Error *err);
bool engine_is_idle(const Engine *engine);  // no launch is in flight
Cycle engine_now(const Engine *engine);     // of the GPU
// Runs a timed launch to its end, sampled; no other may be in flight. *cycles: that it took, as far
// as they are known.
bool engine_samples(const Engine *engine);
Status engine_run_sampled(Engine *engine, Launch *launch, uint64_t *cycles, Error *err);
// Runs an untimed launch to its end; others may be in flight.
Status engine_run_untimed(Engine *engine, Launch *launch, Error *err);
// What kind of fault ended the last run.
FaultKind engine_fault(const Engine *engine);

// Updates total_stats, tables and complaint of the result; the engine can continue.
void engine_report(Engine *engine);

#endif
