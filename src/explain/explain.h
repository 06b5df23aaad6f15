// SPDX-License-Identifier: MIT
// heddle explain: why the kernels of a program take their time, what would happen if a cost were
// removed, and what to change.
//
// The program is run once as it is, with observers; then, in parallel, on machines with one cost
// removed, chosen by what the first run shows (explain/what_if.h); then with changes that a
// programmer could make, where the second step left room for them. Rules (explain/rules.h) draw
// conclusions.
#ifndef EXPLAIN_EXPLAIN_H
#define EXPLAIN_EXPLAIN_H

#include <stdio.h>

#include "base/files/scratch_folder.h"
#include "explain/rules.h"

enum { MOST_EXPLAINED = 8 };

typedef struct ExplainRequest {
  RunSpec run;
  uint32_t processes;  // at a time; 0: one per core
  bool quiet;          // no progress
  bool shows_source;   // explanation_print annotates it
  bool has_page;       // explanation_write_page will be called
} ExplainRequest;

typedef struct Explanation {
  RunFacts facts;
  uint32_t kernel_count;  // of facts.kernels, that matter
  WhatIfs what_ifs;
  Findings findings[MOST_EXPLAINED];
  bool was_stopped;     // by the user, after the first run
  const char *failure;  // of a what-if: the first; or NULL
  double seconds;
  bool shows_source;
  json_t *page;  // the report of the first run, or NULL
  Arena arena;
  ScratchFolder folder;
} Explanation;

// Clear it also after an error.
Status explain(Explanation *explanation, const ExplainRequest *request, Error *err);
void explanation_clear(Explanation *explanation);

// A cause of a kernel's time. Together they are all of it.
typedef struct Cause {
  double share;
  const char *label;  // "memory latency", "instructions issued"
  const char *where;  // or NULL
  const char *what;   // of an access: "load of next"; or NULL
  const AccessFacts *access;
} Cause;
enum { MOST_CAUSES = 48 };
// The largest first; returns how many.
size_t explain_causes(const KernelFacts *kernel, Cause causes[MOST_CAUSES], Arena *arena);

// How close a kernel is to what the machine can do: shares of the peaks.
typedef struct Roofline {
  double dram, l2, issue, fp32, fp64;
  double flops_per_byte;  // thread instructions of SP units per byte of DRAM
} Roofline;
Roofline explain_roofline(const RunFacts *facts, const KernelFacts *kernel);
// One sentence: what limits the kernel.
const char *explain_verdict(Explanation *explanation, uint32_t k);

void explanation_print(Explanation *explanation, FILE *file);
// The source of the k-th kernel, annotated; requires shows_source.
void explanation_print_source(const Explanation *explanation, uint32_t k, FILE *out);
json_t *explanation_json(Explanation *explanation);
// Lines of the k-th kernel's source with their costs; null without source.
json_t *explanation_source_json(const Explanation *explanation, uint32_t k);

// The report page: the first run, which the store has alone, and a section per kernel.
Status explanation_read_runs(Explanation *explanation, const char *db, Error *err);
Status explanation_write_page(Explanation *explanation, const RunSpec *run, const char *path,
                              Error *err);

#endif
