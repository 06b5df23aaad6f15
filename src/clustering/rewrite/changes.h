// SPDX-License-Identifier: MIT
// Whether a kernel changes its own copy of a parameter, which must then be a fresh
// one for each CTA of an agent.
#ifndef CLUSTERING_REWRITE_CHANGES_H
#define CLUSTERING_REWRITE_CHANGES_H

#include "clustering/analysis/calls.h"

// Also by methods, through references and pointers, in macros; true in doubt.
bool variable_may_change(const Body *body, CXCursor variable);

#endif
