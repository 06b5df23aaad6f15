// SPDX-License-Identifier: MIT
// Graph 500's generator: R-MAT edges between shuffled nodes, made undirected, without
// loops and without duplicates ("simple" in the DIMACS10 collection). All that matters
// is in the degrees: nodes fall into groups by the number of ones in their (unshuffled)
// number, and a few of them have an edge to most others.
#ifndef WORKLOADS_KRONECKER_H
#define WORKLOADS_KRONECKER_H

#include <unordered_set>

#include "common/graph.h"

// A number for an undirected edge, whichever end is named first.
static inline uint64_t edge_key(int a, int b) {
  return (uint64_t)std::min(a, b) << 32 | (uint32_t)std::max(a, b);
}

// 2^scale nodes and `edges` undirected edges, which are at most a sixth of all pairs:
// beyond that, new ones get rare.
static inline Graph graph_kronecker(int scale, int edges, uint64_t seed) {
  Random random(seed);
  int nodes = 1 << scale;
  std::vector<int> number((size_t)nodes);
  std::iota(number.begin(), number.end(), 0);
  for (int i = nodes - 1; i > 0; i--) std::swap(number[i], number[random.below((uint32_t)i + 1)]);
  if (edges > (long long)nodes * (nodes - 1) / 12)
    fail(EXIT_INPUT, "%d edges are too many for 2^%d nodes", edges, scale);
  std::unordered_set<uint64_t> made;
  std::vector<Edge> directed;
  while ((int)made.size() < edges) {
    Edge edge = rmat_edge(&random, scale);
    if (edge.first == edge.second || !made.insert(edge_key(edge.first, edge.second)).second)
      continue;
    int from = number[edge.first], to = number[edge.second];
    directed.push_back(Edge(from, to));
    directed.push_back(Edge(to, from));
  }
  std::sort(directed.begin(), directed.end());
  return graph_from_edges(nodes, directed);
}

#endif
