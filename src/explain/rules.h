// SPDX-License-Identifier: MIT
// What to do: rules whose precondition was measured, each with the gain that a what-if predicts.
#ifndef EXPLAIN_RULES_H
#define EXPLAIN_RULES_H

#include "explain/what_if.h"

enum { MOST_FINDINGS = 16 };

typedef struct Finding {
  const char *fault;     // for programs: "uncoalesced"
  const char *cause;     // "uncoalesced accesses at softmax.cu:42"
  const char *evidence;  // "16.0 transactions per access, 4.0 would do"
  const char *advice;
  const char *measure;  // how the gain was predicted: the what-if's title
  double gain;          // predicted: times as fast
  bool is_tried;        // the gain of a change that was simulated, not a bound
} Finding;

typedef struct Findings {
  Finding items[MOST_FINDINGS];  // the largest gain first
  size_t count;
} Findings;

void rules_apply(Findings *findings, const RunFacts *facts, uint32_t k, const WhatIfs *what_ifs,
                 Arena *arena);

#endif
