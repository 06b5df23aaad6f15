// SPDX-License-Identifier: MIT
// Loads of an agent's next CTA, ahead of it (section 4.3, III).
#ifndef CLUSTERING_REWRITE_PREFETCH_H
#define CLUSTERING_REWRITE_PREFETCH_H

#include "clustering/analysis/kernel.h"

// A lambda for one definition of a kernel that prefetches the elements that a CTA reads
// first, if their addresses follow from its coordinates; NULL if there are none. Only the
// first iteration of a loop counts. With `explain`, prints the loads that are not
// prefetched, and why.
const char *prefetch_lambda(Program *program, Body *body, bool explain);

#endif
