// SPDX-License-Identifier: MIT
// Graphs from files: Matrix Market (.mtx), METIS (.graph, .metis) as the DIMACS10
// collection has them, and edge lists (anything else).
#ifndef WORKLOADS_GRAPH_FILE_H
#define WORKLOADS_GRAPH_FILE_H

#include <string>

#include "common/graph.h"
#include "common/sparse.h"

// An entry of row r and column c is an edge from r to c; values mean nothing.
static inline Graph graph_read_matrix(const char *path) {
  Csr matrix = csr_read(path);
  if (matrix.rows != matrix.columns)
    fail(EXIT_INPUT, "%s: %d rows and %d columns: the matrix of a graph is square", path,
         matrix.rows, matrix.columns);
  Graph graph;
  graph.nodes = matrix.rows;
  graph.start = matrix.start;
  graph.target = matrix.column;
  return graph;
}

// A header "nodes edges [format [constraints]]", then a line a node with its neighbours,
// counted from 1. Each edge is listed at both its ends. Sizes and weights are skipped.
static inline Graph graph_read_metis(const char *path) {
  enum { MOST_NODES = 1 << 26, MOST_WEIGHTS = 64 };
  TextFile file(path);
  file.set_comment('%');
  Graph graph;
  graph.nodes = (int)file.integer("number of nodes", 1, MOST_NODES);
  long long edges = file.integer("number of edges", 0, INT_MAX / 2);
  int format = file.at_line_end() ? 0 : (int)file.integer("format", 0, 111);
  int weights = file.at_line_end() ? 1 : (int)file.integer("number of weights", 0, MOST_WEIGHTS);
  if (!file.at_line_end()) file.wrong("unexpected word in the header");
  if (format % 10 > 1 || format / 10 % 10 > 1) file.wrong("the format has digits 0 and 1 only");
  file.expect_at_least((size_t)graph.nodes - 1, "a line for each node");
  file.expect_at_least((size_t)edges * 4, "a neighbour");
  int before = format / 100 + (format / 10 % 10 ? weights : 0);  // numbers before a node's edges
  graph.start.assign(1, 0);
  for (int n = 0; n < graph.nodes; n++) {
    file.next_line();
    for (int i = 0; i < before && !file.at_line_end(); i++) file.integer("weight", 0, LLONG_MAX);
    while (!file.at_line_end()) {
      graph.target.push_back((int)file.integer("neighbour", 1, graph.nodes) - 1);
      if (format % 10) file.integer("weight of an edge", 0, LLONG_MAX);
      if ((long long)graph.target.size() > 2 * edges) file.wrong("more edges than the header says");
    }
    graph.start.push_back(graph.edges());
  }
  if (!file.at_end()) file.wrong("more lines than nodes");
  if (graph.edges() < 2 * edges) file.wrong("fewer edges than the header says");
  return graph;
}

static inline Graph graph_read(const char *path) {
  std::string name = path;
  auto ends_with = [&](const std::string &ending) {
    return name.size() > ending.size() &&
           name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
  };
  if (ends_with(".mtx")) return graph_read_matrix(path);
  if (ends_with(".graph") || ends_with(".metis")) return graph_read_metis(path);
  return graph_read_edges(path);
}

#endif
