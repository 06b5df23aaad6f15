// SPDX-License-Identifier: MIT
// The engine behind a case file: a program, a device memory, and launches that
// run one after the other, on a simulated GPU or without time.
#ifndef CLI_CASE_ENGINE_H
#define CLI_CASE_ENGINE_H

#include <signal.h>

#include "cli/progress.h"
#include "frontends/casefile/case_run.h"
#include "gpu/gpu.h"
#include "isa/execute.h"
#include "report/run_result.h"

typedef struct CaseEngine {
  const GpuConfig *config;
  RunResult *result;  // gets every launch and every sum
  const volatile sig_atomic_t *stop;
  FILE *print;
  Progress *progress;
  Program *program;  // NULL: no module loaded
  Gpu *gpu;              // NULL: without time
  DeviceMemory *memory;  // the GPU's, or our own
  ExecContext context;   // without time
} CaseEngine;

typedef struct CaseEngineOptions {
  bool functional;
  GpuOptions gpu;
  FILE *print;         // where the kernels' printf goes
  Progress *progress;  // its line goes before the kernels print
} CaseEngineOptions;

Status case_engine_init(CaseEngine *engine, const GpuConfig *config, RunResult *result,
                        const CaseEngineOptions *options, Error *err);
// Sums up the machine's counters; call when the case has ended, however it did.
void case_engine_finish(CaseEngine *engine);
void case_engine_clear(CaseEngine *engine);

CaseHost case_engine_host(CaseEngine *engine);

#endif
