// SPDX-License-Identifier: MIT
// The graphs of table 3 of Tang et al., "Quantifying Data Locality in Dynamic
// Parallelism in GPUs" (SIGMETRICS 2018), at three sizes, or one from a file.
#ifndef WORKLOADS_GRAPH_INPUT_H
#define WORKLOADS_GRAPH_INPUT_H

#include "common/arguments.h"
#include "common/collaboration.h"
#include "common/graph_file.h"
#include "common/kronecker.h"

enum GraphKind { GRAPH_CITATION, GRAPH_500, GRAPH_SMALL };

struct GraphInput {
  GraphKind kind;
  const char *path;  // NULL: generated
  int nodes;         // 0: as many as the size has
  int source;        // -1: whichever suits the graph
};

// Declares --input, --graph and --nodes.
static inline GraphInput graph_input_options(Arguments *arguments) {
  GraphInput input;
  input.kind = (GraphKind)arguments->choice("input", {"citation", "graph500", "small"},
                                            "collaboration network, Kronecker or complete graph");
  input.path = arguments->file("graph", ".mtx, METIS .graph or edge list, in place of --input");
  input.nodes =
      (int)arguments->number("nodes", {0, 0, 0}, 0, 1 << 24,
                             "nodes of a generated graph, with edges in proportion; 0 "
                             "for those of the size; Kronecker: of the power of two below");
  input.source = -1;
  return input;
}

// Declares --source, for programs that begin somewhere.
static inline void graph_source_option(Arguments *arguments, GraphInput *input) {
  input->source = (int)arguments->number("source", {-1, -1, -1}, -1, 1 << 26,
                                         "where to begin; -1 for a node that suits the input");
}

static inline int graph_floor_log2(int n) {
  int log = 0;
  while (n >> (log + 1)) log++;
  return log;
}

static inline Graph graph_input_make(const GraphInput &input, const Arguments &arguments) {
  static const BySize all_nodes[] = {{1500, 20000, 227320}, {128, 2048, 65536}, {48, 256, 1024}};
  static const BySize all_edges[] = {{5000, 71600, 814134}, {1100, 45000, 2456071}, {0, 0, 0}};
  auto sized = [&](BySize by_size) { return (int)arguments.sized(by_size); };
  if (input.path) return graph_read(input.path);
  int of_size = sized(all_nodes[input.kind]), nodes = input.nodes ? input.nodes : of_size;
  int edges = (int)((long long)sized(all_edges[input.kind]) * nodes / of_size);
  if (input.kind == GRAPH_SMALL) return graph_complete(nodes);
  if (input.kind == GRAPH_500)
    return graph_kronecker(graph_floor_log2(nodes), edges, arguments.seed());
  return graph_collaboration({nodes, edges, sized({12, 40, 87}), sized({100, 400, 1372})},
                             arguments.seed());
}

// The levels of a breadth-first search, -1 for nodes that are not reached, and the
// node that was reached last.
static inline std::vector<int> graph_levels(const Graph &graph, int source, int *last) {
  std::vector<int> level((size_t)graph.nodes, -1), queue(1, source);
  level[source] = 0;
  for (size_t head = 0; head < queue.size(); head++) {
    int n = *last = queue[head];
    for (int i = graph.start[n]; i < graph.start[n + 1]; i++) {
      int target = graph.target[i];
      if (level[target] >= 0) continue;
      level[target] = level[n] + 1;
      queue.push_back(target);
    }
  }
  return level;
}

// As asked for; else the first node with an edge, in Kronecker graphs the one that is
// farthest from it: from most nodes everything is too near.
static inline int graph_input_source(const GraphInput &input, const Graph &graph) {
  if (input.source >= graph.nodes)
    fail(EXIT_INPUT, "--source %d: there are %d nodes", input.source, graph.nodes);
  if (input.source >= 0) return input.source;
  int source = 0;
  while (source + 1 < graph.nodes && graph.start[source] == graph.start[source + 1]) source++;
  if (input.kind == GRAPH_500 && !input.path) graph_levels(graph, source, &source);
  return source;
}

static inline void graph_print(const Graph &graph) {
  int largest = 0;
  for (int n = 0; n < graph.nodes; n++)
    largest = std::max(largest, graph.start[n + 1] - graph.start[n]);
  printf("%d nodes, %d directed edges, %d of one node at most\n", graph.nodes, graph.edges(),
         largest);
}

#endif
