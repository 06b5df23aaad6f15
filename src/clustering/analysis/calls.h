// SPDX-License-Identifier: MIT
// Properties of a kernel including its callees.
#ifndef CLUSTERING_ANALYSIS_CALLS_H
#define CLUSTERING_ANALYSIS_CALLS_H

#include "clustering/analysis/program.h"

// Built-in variables that belong to a CTA's place in the grid.
enum { USES_BLOCK_IDX = 1, USES_GRID_DIM = 2 };

// Those that a node is; that a node and all below it name.
unsigned node_uses(const Tree *tree, const Node *node);
unsigned tree_uses(const Tree *tree, const Node *root);
// Those that a body names itself, also in lambdas.
unsigned body_uses(Body *body);
// Those that a function needs to know: also for what it calls.
unsigned function_needs(Program *program, Function *function);

// A body and everything that it calls, directly or indirectly: the body itself first, each
// once. A function that is named counts as called, because its pointer may be called.
typedef struct Reached {
  Body *body;
  Node *call;  // the node in the first body that leads there; NULL for the first
} Reached;
typedef struct ReachedList {
  Reached *items;
  int count, capacity;
} ReachedList;
const ReachedList *calls_reached(Program *program, Body *body);

// Whether the bodies of a kernel are known: without instances, calls that
// depend on template arguments are not. *unknown gets such a call.
bool calls_are_known(Program *program, Body *body, Node **unknown);

// For each body of a kernel that says what runs: instances where there are any.
bool body_counts(const Body *body);
#define FOR_EACH_BODY(body, function)                            \
  for (Body *body = (function)->bodies; body; body = body->next) \
    if (!body_counts(body))                                      \
      continue;                                                  \
    else

// The name of the callee; "" if unknown.
const char *call_name(Program *program, const Node *call);
// An argument of a call or a launch, from 0; NULL if there is none.
Node *call_argument(const Node *call, unsigned n);
// Whether this is a launch: kernel<<<...>>>(...). Then the node of <<<...>>>.
Node *call_configuration(const Node *call);
// The callee of a call: its first child.
Node *call_callee(const Node *call);

#endif
