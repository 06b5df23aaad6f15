// SPDX-License-Identifier: MIT
// The engine behind a case file: a program, a device memory, and launches that
// run functionally, one after the other.
#ifndef CLI_CASE_ENGINE_H
#define CLI_CASE_ENGINE_H

#include <signal.h>

#include "frontends/casefile/case_run.h"
#include "gpu/gpu_config.h"
#include "isa/execute.h"
#include "report/run_result.h"

typedef struct CaseEngine {
  const GpuConfig *config;
  RunResult *result;  // gets every launch and every sum
  const volatile sig_atomic_t *stop;
  Program *program;  // NULL: no module loaded
  DeviceMemory *memory;
  ExecContext context;
} CaseEngine;

// print: where the kernels' printf goes.
void case_engine_init(CaseEngine *engine, const GpuConfig *config, RunResult *result, FILE *print,
                      const volatile sig_atomic_t *stop);
void case_engine_clear(CaseEngine *engine);

CaseHost case_engine_host(CaseEngine *engine);

#endif
