// SPDX-License-Identifier: MIT
// Host side of a case file: a program, buffers, and launches that run one after
// the other on an engine.
#ifndef RUNNER_CASE_CASE_ENGINE_H
#define RUNNER_CASE_CASE_ENGINE_H

#include "device/launches/engine.h"
#include "frontends/casefile/case_run.h"

typedef struct CaseEngine {
  Engine engine;
  Program *program;  // NULL if no module is loaded
  FILE *print;
  uint64_t launches;
} CaseEngine;

// config and result must outlive the engine. options->print is ignored: the output of kernels'
// printf goes to `print`.
Status case_engine_init(CaseEngine *engine, const GpuConfig *config, RunResult *result,
                        const EngineOptions *options, FILE *print, Error *err);
// The result keeps the machine's counters and tables, even if the case failed.
void case_engine_clear(CaseEngine *engine);

CaseHost case_engine_host(CaseEngine *engine);

#endif
