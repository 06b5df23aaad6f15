// SPDX-License-Identifier: MIT
// A kernel to be rewritten, and the results of its analysis.
#ifndef CLUSTERING_ANALYSIS_KERNEL_H
#define CLUSTERING_ANALYSIS_KERNEL_H

#include "clustering/analysis/calls.h"
#include "clustering/analysis/dependence.h"
#include "clustering/request.h"

// What separates two CTAs of an agent.
typedef enum Separation {
  SEPARATION_NONE,  // it has no shared memory
  SEPARATION_BARRIER,
  SEPARATION_RETURNS,  // threads return before barriers that others wait at
} Separation;

typedef struct Kernel {
  Function *function;
  const Rewriting *rewriting;
  Body *body;      // a representative body, of the device if there is one
  unsigned uses;   // USES_BLOCK_IDX, USES_GRID_DIM: without callees
  unsigned needs;  // including callees
  Separation separation;
  bool has_loop;             // in it or in a function that it calls
  unsigned threads;          // per CTA, the most of its launches
  bool has_unknown_threads;  // some launch does not state them as a constant
  const char *order;         // as the rewritten source spells it
  const char *preamble;      // declarations that the order needs, or NULL
  const char *plan;          // the type of its first parameter
  const char *plan_name;     // and its name
  bool is_by_agents;
  bool needs_launcher;  // a function that deduces its template arguments
  const char *refusal;  // why it is not rewritten, "file:line: reason"; or NULL
} Kernel;

// Determines everything except order and plan. Sets the refusal of a kernel that cannot
// be rewritten safely.
void kernel_examine(Kernel *kernel, Program *program, const RewriteRequest *request);

// What runs of the definition in these braces. A template and its explicit
// specialisations are one kernel with several definitions, of which each has its
// own parameters and variables.
Body *kernel_body_in(const Kernel *kernel, const Node *braces);

#endif
