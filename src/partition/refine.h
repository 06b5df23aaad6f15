// SPDX-License-Identifier: MIT
// Makes a partition better by exchanging CTAs of two clusters as long as that
// keeps more of what they share: sizes stay as they are. METIS aims at parts of
// many vertices; with a CTA or two per cluster, exchanges still find something.
#ifndef PARTITION_REFINE_H
#define PARTITION_REFINE_H

#include "partition/adjacency.h"

// Does nothing for graphs of so many CTAs and clusters that it would take minutes.
void partition_refine(const Adjacency *adjacency, uint32_t ctas, uint32_t clusters,
                      uint32_t *cluster_of);

#endif
