// SPDX-License-Identifier: MIT
// Breadth-first search, level by level: a first kernel looks, from every node of the
// frontier, at all neighbours and marks the unvisited ones; a second one makes the
// marked nodes the next frontier. A thread has a node. Which lines CTAs share is up
// to the graph, and the marks that some read others write.
//
// BFS in Li et al. (data and write), Yen, Wang et al. and Oh et al. (cache-sensitive). A
// uniform random graph, or an edge list (`--graph`), level by level from `--source`; two
// launches per level and a flag copied to the host that says whether to continue. Nodes, edges
// and costs are words, the three marks bytes. Compared exactly. At `paper`: a million nodes of
// six edges on average, as in the suite's graph1MW_6. The suite's CTAs have 512 threads, Li et
// al. say 8 warps; `--threads` sets them. For table 1 of Yen, 2.6 MB and 6 warps: `heddle run
// bfs -- --threads 192`, 65536 nodes, as is `small`.
#include <deque>

#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/graph_file.h"
#include "common/timer.h"

struct Node {
  int start, count;  // of its edges
};

__global__ void visit(const Node *nodes, const int *targets, uint8_t *frontier, uint8_t *next,
                      const uint8_t *visited, int *cost, int count) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= count || !frontier[n]) return;
  frontier[n] = 0;
#pragma unroll 1
  for (int i = nodes[n].start; i < nodes[n].start + nodes[n].count; i++) {
    int target = targets[i];
    if (visited[target]) continue;
    cost[target] = cost[n] + 1;
    next[target] = 1;
  }
}

__global__ void advance(uint8_t *frontier, uint8_t *next, uint8_t *visited, int count,
                        int *goes_on) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= count || !next[n]) return;
  frontier[n] = 1;
  visited[n] = 1;
  next[n] = 0;
  *goes_on = 1;
}

// Steps from the source, -1 where there is no path.
static std::vector<int> search_on_host(const Graph &graph, int source) {
  std::vector<int> cost((size_t)graph.nodes, -1);
  std::deque<int> queue(1, source);
  cost[source] = 0;
  while (!queue.empty()) {
    int n = queue.front();
    queue.pop_front();
    for (int i = graph.start[n]; i < graph.start[n + 1]; i++) {
      int target = graph.target[i];
      if (cost[target] >= 0) continue;
      cost[target] = cost[n] + 1;
      queue.push_back(target);
    }
  }
  return cost;
}

static std::vector<int> search_on_device(const Graph &graph, int source, unsigned threads) {
  std::vector<Node> edges;
  for (int n = 0; n < graph.nodes; n++)
    edges.push_back({graph.start[n], graph.start[n + 1] - graph.start[n]});
  std::vector<uint8_t> only_source((size_t)graph.nodes);
  std::vector<int> unknown((size_t)graph.nodes, -1);
  only_source[source] = 1;
  unknown[source] = 0;
  DeviceArray<Node> nodes(edges);
  DeviceArray<int> targets(graph.target), cost(unknown), goes_on(1);
  DeviceArray<uint8_t> frontier(only_source), next((size_t)graph.nodes), visited(only_source);
  printf("%d nodes, %d edges, %.1f MB\n", graph.nodes, graph.edges(),
         1e-6 * ((sizeof(Node) + 3 + sizeof(int)) * graph.nodes + sizeof(int) * graph.edges()));
  unsigned ctas = ctas_for(graph.nodes, threads);
  Timer timer;
  do {
    goes_on.set(std::vector<int>(1, 0));
    visit<<<ctas, threads>>>(nodes, targets, frontier, next, visited, cost, graph.nodes);
    advance<<<ctas, threads>>>(frontier, next, visited, graph.nodes, goes_on);
  } while (goes_on.get()[0]);
  timer.stop("bfs");
  return cost.get();
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "breadth-first search");
  int nodes = (int)arguments.number("nodes", {1500, 65536, 1000000}, 1, 1 << 24, "nodes");
  int degree = (int)arguments.number("degree", {6, 6, 6}, 1, 64, "edges a node, on average");
  int source = (int)arguments.number("source", {0, 0, 0}, 0, 1 << 26, "where to begin");
  int threads = (int)arguments.multiple("threads", 32, {256, 256, 256}, 32, 1024, "of a CTA");
  const char *path =
      arguments.file("graph", ".mtx, METIS .graph or edge list, in place of a generated graph");
  arguments.done();

  Graph graph = path ? graph_read(path) : graph_uniform(nodes, degree, arguments.seed());
  if (source >= graph.nodes)
    fail(EXIT_INPUT, "--source %d: there are %d nodes", source, graph.nodes);
  Comparison comparison;
  comparison.exact("costs", search_on_device(graph, source, (unsigned)threads),
                   search_on_host(graph, source));
  return comparison.verdict();
}
