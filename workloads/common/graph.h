// SPDX-License-Identifier: MIT
// Graphs as compressed adjacency: generators and a reader of edge lists. Other formats
// are in graph_file.h.
#ifndef WORKLOADS_GRAPH_H
#define WORKLOADS_GRAPH_H

#include <algorithm>
#include <climits>
#include <numeric>
#include <utility>
#include <vector>

#include "common/random.h"
#include "common/text_file.h"

// Node n has edges to target[start[n]] .. target[start[n + 1] - 1].
struct Graph {
  int nodes = 0;
  std::vector<int> start, target;
  int edges() const { return (int)target.size(); }
};

typedef std::pair<int, int> Edge;  // from, to

// The edges of a node stay in the order in which they are given.
static inline Graph graph_from_edges(int nodes, const std::vector<Edge> &edges) {
  Graph graph;
  graph.nodes = nodes;
  graph.start.assign((size_t)nodes + 1, 0);
  for (const Edge &edge : edges) graph.start[(size_t)edge.first + 1]++;
  std::partial_sum(graph.start.begin(), graph.start.end(), graph.start.begin());
  std::vector<int> next(graph.start.begin(), graph.start.end() - 1);
  graph.target.resize(edges.size());
  for (const Edge &edge : edges) graph.target[(size_t)next[edge.first]++] = edge.second;
  return graph;
}

// 1 to 2 * mean - 1 edges a node, to any node.
static inline Graph graph_uniform(int nodes, int mean, uint64_t seed) {
  Random random(seed);
  std::vector<Edge> edges;
  for (int n = 0; n < nodes; n++) {
    int degree = 1 + (int)random.below((uint32_t)(2 * mean - 1));
    for (int i = 0; i < degree; i++) edges.push_back(Edge(n, (int)random.below((uint32_t)nodes)));
  }
  return graph_from_edges(nodes, edges);
}

// A few nodes have most of the edges: each edge falls into a quarter of the
// adjacency matrix with probabilities 0.57, 0.19, 0.19, 0.05, and again within it
// (Chakrabarti, Zhan and Faloutsos, "R-MAT", SDM 2004).
static inline Edge rmat_edge(Random *random, int nodes_log2) {
  Edge edge(0, 0);
  for (int bit = 0; bit < nodes_log2; bit++) {
    float point = random->uniform(0, 1);
    bool low = point >= 0.76f, right = (point >= 0.57f && point < 0.76f) || point >= 0.95f;
    edge.first = edge.first << 1 | low;
    edge.second = edge.second << 1 | right;
  }
  return edge;
}

static inline Graph graph_rmat(int nodes_log2, int mean, uint64_t seed) {
  Random random(seed);
  std::vector<Edge> edges((size_t)mean << nodes_log2);
  for (Edge &edge : edges) edge = rmat_edge(&random, nodes_log2);
  return graph_from_edges(1 << nodes_log2, edges);
}

// An edge from every node to every other.
static inline Graph graph_complete(int nodes) {
  std::vector<Edge> edges;
  for (int a = 0; a < nodes; a++)
    for (int b = 0; b < nodes; b++)
      if (a != b) edges.push_back(Edge(a, b));
  return graph_from_edges(nodes, edges);
}

// Lines of two node numbers, from 0; # begins a comment.
static inline Graph graph_read_edges(const char *path) {
  enum { MOST = 1 << 26 };
  TextFile file(path);
  std::vector<Edge> edges;
  int nodes = 0;
  file.set_comment('#');
  while (!file.at_end()) {
    int from = (int)file.integer("node", 0, MOST), to = (int)file.integer("node", 0, MOST);
    edges.push_back(Edge(from, to));
    nodes = std::max(nodes, std::max(from, to) + 1);
    if (edges.size() > (size_t)INT_MAX) file.wrong("more edges than can be counted");
  }
  if (edges.empty()) file.wrong("there is no edge");
  return graph_from_edges(nodes, edges);
}

#endif
