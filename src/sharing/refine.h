// SPDX-License-Identifier: MIT
// Refines a partition by exchanging CTAs of two clusters while that reduces the cut;
// cluster sizes do not change. METIS is designed for parts of many vertices; with one or
// two CTAs per cluster, exchanges still improve the result.
#ifndef SHARING_REFINE_H
#define SHARING_REFINE_H

#include "sharing/adjacency.h"

// Does nothing for graphs of so many CTAs and clusters that it would take minutes.
void partition_refine(const Adjacency *adjacency, uint32_t ctas, uint32_t clusters,
                      uint32_t *cluster_of);

#endif
