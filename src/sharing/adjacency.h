// SPDX-License-Identifier: MIT
// A sharing graph by vertex: the neighbours of each CTA, one after another, as
// METIS wants them.
#ifndef SHARING_ADJACENCY_H
#define SHARING_ADJACENCY_H

#include "sharing/sharing_graph.h"

typedef struct Adjacency {
  // Of CTA v: first[v] to first[v + 1], neighbours in ascending order.
  int32_t *first, *neighbour, *weight;
} Adjacency;

// Weights are scaled such that all of them together fit into 31 bits.
void adjacency_init(Adjacency *adjacency, const SharingGraph *graph);
void adjacency_clear(Adjacency *adjacency);

#endif
