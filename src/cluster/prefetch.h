// SPDX-License-Identifier: MIT
// Loads of an agent's next CTA, ahead of it (section 4.3, III).
#ifndef CLUSTER_PREFETCH_H
#define CLUSTER_PREFETCH_H

#include "cluster/kernel.h"

// A lambda for one definition of a kernel: it prefetches the elements that a CTA
// reads first, as far as their addresses follow from its coordinates; NULL if
// there are none. A loop counts with its first iteration. With `explain`, prints
// what was left out and why.
const char *prefetch_lambda(Program *program, Body *body, bool explain);

#endif
