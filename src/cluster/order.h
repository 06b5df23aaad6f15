// SPDX-License-Identifier: MIT
// The order in which a kernel's CTAs are numbered, as the rewritten source
// spells it.
#ifndef CLUSTER_ORDER_H
#define CLUSTER_ORDER_H

#include "cluster/direction.h"

// Sets kernel->order: the requested order, or the best one found. A table of numbers
// becomes part of the source.
Status order_choose(const RewriteRequest *request, Program *program, Kernel *kernel,
                    const Direction *direction, Error *err);

#endif
