// SPDX-License-Identifier: MIT
// The order in which a kernel's CTAs are numbered, as the rewritten source
// spells it.
#ifndef CLUSTERING_ANALYSIS_ORDER_H
#define CLUSTERING_ANALYSIS_ORDER_H

#include "clustering/analysis/direction.h"

// Sets kernel->order: the requested order, or the best one found. A table of numbers
// becomes part of the source.
Status order_choose(Program *program, Kernel *kernel, const Direction *direction, Error *err);

#endif
