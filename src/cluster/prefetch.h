// SPDX-License-Identifier: MIT
// Loads of an agent's next CTA, ahead of it (section 4.3, III).
#ifndef CLUSTER_PREFETCH_H
#define CLUSTER_PREFETCH_H

#include "cluster/kernel.h"

// A lambda that prefetches the elements which a CTA reads first, as far as their
// addresses follow from its coordinates; NULL if there are none. A loop counts
// with its first round. Says with `explain` what was left out, and why.
const char *prefetch_lambda(Program *program, const Kernel *kernel, bool explain);

#endif
