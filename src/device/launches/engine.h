// SPDX-License-Identifier: MIT
// Executes kernels of CUDA programs and case files: on a simulated GPU, functionally, or
// both in turn, on one memory. It adds every kernel to a result and enforces the limits
// of a run.
//
//   engine_open, engine_run for each group of launches, engine_close.
//   It can be reopened after a device reset.
//
// Launches that the options do not select run functionally between the others, with
// identical values. They take one cycle per instruction, and do not affect caches and
// counters of the GPU.
#ifndef DEVICE_LAUNCHES_ENGINE_H
#define DEVICE_LAUNCHES_ENGINE_H

#include "device/launches/launched_kernels.h"
#include "run/kernel_choice.h"
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
  GpuOptions machine;          // the engine sets its own callbacks
  void (*print)(void *sink, const char *text, size_t length);  // the kernels' printf
  void *print_sink;
  void (*warn)(void *sink, const char *text);  // warnings, one per call; may be NULL
  void *warn_sink;
  Progress *progress;  // NULL: not shown
  uint64_t *completed;  // counts the host's launches; may be NULL
} EngineOptions;

typedef struct EngineLaunch {
  Launch *launch;   // its origin names the stream; launches of a stream run in order
  uint64_t number;  // among the host's
  uint64_t ended;   // out: cycles from the beginning of engine_run; 0: it has not
  bool is_done;     // private
} EngineLaunch;

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
  bool gpu_has_run;         // the one that is there
  bool has_tables;          // the result has those of one that is gone
  uint32_t kept_races;      // of checks that are closed, in the result
  uint64_t untimed_cycles;  // a cycle an instruction
  uint64_t timed, untimed;  // launches of the host
  LaunchedKernels launched;  // if there is a choice
  // while it runs
  EngineLaunch **group;  // on the GPU
  uint32_t group_first, group_count;
  Cycle started;
  Seconds last;  // when the last kernel ended
} Engine;

void engine_init(Engine *engine, const GpuConfig *config, RunResult *result,
                 const EngineOptions *options);
Status engine_open(Engine *engine, Error *err);
// The result keeps the counters and tables of the GPU.
void engine_close(Engine *engine);

// Call after allocating or freeing memory.
void engine_forget_allocations(Engine *engine);
// Runs launches that depend only on their predecessors in their streams.
Status engine_run(Engine *engine, EngineLaunch *launches, uint32_t count, Error *err);
// What kind of fault ended the last run.
FaultKind engine_fault(const Engine *engine);

// Updates total_stats, tables and complaint of the result; the engine can continue.
void engine_report(Engine *engine);

#endif
