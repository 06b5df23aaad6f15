// SPDX-License-Identifier: MIT
// Sharing graph of a kernel's CTAs, by lines that they both read, measured by the observer
// `sharing:graph=true`. Problem 1 of Li et al. (ASPLOS 2017) is to find a partition of
// this graph with maximum weight within clusters.
#ifndef SHARING_SHARING_GRAPH_H
#define SHARING_SHARING_GRAPH_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

typedef struct SharingEdge {
  uint32_t a, b;   // CTAs, a < b
  uint64_t lines;  // that both read
} SharingEdge;

// Of all launches of a kernel with the same grid, added up.
typedef struct SharingGraph {
  const char *kernel;  // its readable name
  uint32_t grid[3], cta_count;
  uint32_t launches;
  SharingEdge *edges;  // in order, each pair once
  uint32_t edge_count, edge_capacity;
  uint64_t weight;  // of all edges
} SharingGraph;

typedef struct SharingGraphs {
  SharingGraph *items;
  uint32_t count, capacity;
  uint32_t sm_count;  // of the GPU that ran it
  Arena arena;        // names
} SharingGraphs;

// Reads a result of `heddle run --observe sharing:graph=true --json FILE`.
Status sharing_graphs_read(SharingGraphs *graphs, const char *path, Error *err);
void sharing_graphs_clear(SharingGraphs *graphs);

// The weight of the edges within clusters; cluster_of: by CTA.
uint64_t sharing_graph_kept(const SharingGraph *graph, const uint32_t *cluster_of);

#endif
