// SPDX-License-Identifier: MIT
// Host side of a case file: a program, buffers, and launches that run one after
// the other on an engine.
#ifndef RUNNER_CASE_CASE_ENGINE_H
#define RUNNER_CASE_CASE_ENGINE_H

#include "device/launches/engine.h"
#include "frontends/casefile/case_run.h"

typedef struct CaseEngine {
  Engine *engine;    // open; the caller's
  Program *program;  // NULL if no module is loaded
  uint64_t launches;
} CaseEngine;

// Clear it when the engine is closed: results refer to the program.
void case_engine_clear(CaseEngine *engine);

CaseHost case_engine_host(CaseEngine *engine);

#endif
