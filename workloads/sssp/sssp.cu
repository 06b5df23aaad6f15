// SPDX-License-Identifier: MIT
// nvcc: -rdc=true
// Single-source shortest paths, round by round, in which the thread of a node with many
// edges launches a kernel to relax them: Harish and Narayanan's method, with the
// launches of Wang and Yalamanchili (IISWC 2014).
//
// A stage is a parent (relax), its children (relax_edges) and, from the host, a barrier
// kernel (advance) that takes over shorter paths and masks the nodes whose edges have
// to be relaxed next. Siblings meet where their nodes have neighbours in common. --lists N: work
// lists in a grid of N CTAs instead of a thread and a mask per node (bfs_dp.cu).
//
// SSSP-citation and SSSP-graph500. Rounds of relaxation over the edges of nodes whose cost
// decreased (Harish and Narayanan). Edges have weight 1, since the files of both graphs have no
// weights, and since SSSP and BFS have equal depths in table 2; `--weight 10` draws weights
// from 1 to 10.
#include <queue>

#include "common/compare.h"
#include "common/device_array.h"
#include "common/dynamic.h"
#include "common/graph_input.h"
#include "common/timer.h"
#include "common/work_list.h"

enum { THREADS = 128, UNREACHED = INT_MAX };

struct Paths {
  const int *start, *targets, *weights;
  uint8_t *mask;
  int *cost, *updating;  // as of the last stage, and as this one finds it
};

__device__ void relax_edge(const Paths &paths, int edge, int cost) {
  atomicMin(&paths.updating[paths.targets[edge]], cost + paths.weights[edge]);
}

__global__ void relax_edges(Paths paths, int first, int count, int cost) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) relax_edge(paths, first + i, cost);
}

__global__ void relax(Paths paths, int nodes, Dynamic dynamic) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= nodes || !paths.mask[n]) return;
  paths.mask[n] = 0;
  int first = paths.start[n], count = paths.start[n + 1] - first, cost = paths.cost[n];
  if (dynamic.wants_child(count)) {
    ChildStream stream(dynamic);
    relax_edges<<<(count + THREADS - 1) / THREADS, THREADS, 0, stream>>>(paths, first, count, cost);
    if (cudaGetLastError() == cudaSuccess) return;
  }
#pragma unroll 1
  for (int i = 0; i < count; i++) relax_edge(paths, first + i, cost);
}

__global__ void advance(Paths paths, int nodes, int *goes_on) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= nodes || paths.updating[n] >= paths.cost[n]) return;
  paths.cost[n] = paths.updating[n];
  paths.mask[n] = 1;
  *goes_on = 1;
}

// ---- with work lists

__global__ void relax_lists(Paths paths, WorkLists lists, Dynamic dynamic) {
  WorkWarp warp = work_warp(lists);
  for (int at = warp.lane; at < *warp.count; at += 32) {
    int n = warp.items[at], first = paths.start[n], count = paths.start[n + 1] - first;
    int cost = paths.cost[n];
    if (dynamic.wants_child(count)) {
      ChildStream stream(dynamic);
      relax_edges<<<(count + THREADS - 1) / THREADS, THREADS, 0, stream>>>(paths, first, count,
                                                                           cost);
      if (cudaGetLastError() == cudaSuccess) continue;
    }
#pragma unroll 1
    for (int i = 0; i < count; i++) relax_edge(paths, first + i, cost);
  }
}

__global__ void advance_lists(Paths paths, WorkLists lists, int *goes_on) {
  WorkWarp warp = work_warp(lists);
  int used = 0;
  for (int first = warp.first; first < warp.end; first += 32) {
    int n = first + warp.lane;
    bool is_shorter = n < warp.end && paths.updating[n] < paths.cost[n];
    used = work_append(warp, used, is_shorter, n);
    if (is_shorter) paths.cost[n] = paths.updating[n];
  }
  if (warp.lane == 0) *warp.count = used;
  if (warp.lane == 0 && used) *goes_on = 1;
}

// Dijkstra's.
static std::vector<int> search_on_host(const Graph &graph, const std::vector<int> &weights,
                                       int source) {
  std::vector<int> cost((size_t)graph.nodes, UNREACHED);
  std::priority_queue<std::pair<int, int>> queue;  // minus the cost, node
  cost[source] = 0;
  queue.push({0, source});
  while (!queue.empty()) {
    int n = queue.top().second, so_far = -queue.top().first;
    queue.pop();
    if (so_far > cost[n]) continue;
    for (int i = graph.start[n]; i < graph.start[n + 1]; i++) {
      int target = graph.target[i], next = so_far + weights[i];
      if (next >= cost[target]) continue;
      cost[target] = next;
      queue.push({-next, target});
    }
  }
  return cost;
}

static std::vector<int> search_on_device(const Graph &graph, const std::vector<int> &edge_weights,
                                         int source, const Dynamic &dynamic, unsigned list_ctas) {
  size_t nodes = (size_t)graph.nodes;
  std::vector<uint8_t> only_source(nodes);
  std::vector<int> unknown(nodes, UNREACHED);
  only_source[source] = 1;
  unknown[source] = 0;
  DeviceArray<int> start(graph.start), targets(graph.target), weights(edge_weights);
  DeviceArray<int> cost(unknown), updating(unknown), goes_on(1);
  DeviceArray<uint8_t> mask(only_source);
  Paths paths = {start, targets, weights, mask, cost, updating};
  unsigned ctas = list_ctas ? list_ctas : ctas_for(graph.nodes, THREADS);
  WorkListArrays lists(graph.nodes, ctas, THREADS, [&](int n) { return n == source; });
  int stages = 0;
  Timer timer;
  do {
    goes_on.set(std::vector<int>(1, 0));
    if (list_ctas) {
      relax_lists<<<ctas, THREADS>>>(paths, lists.lists(), dynamic);
      advance_lists<<<ctas, THREADS>>>(paths, lists.lists(), goes_on);
    } else {
      relax<<<ctas, THREADS>>>(paths, graph.nodes, dynamic);
      advance<<<ctas, THREADS>>>(paths, graph.nodes, goes_on);
    }
    stages++;
  } while (goes_on.get()[0]);
  timer.stop("sssp");
  printf("%d stages, the last of which finds nothing shorter\n", stages);
  return cost.get();
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "single-source shortest paths with dynamic parallelism");
  GraphInput input = graph_input_options(&arguments);
  graph_source_option(&arguments, &input);
  int heaviest = (int)arguments.number("weight", {1, 1, 1}, 1, 1000,
                                       "largest weight of an edge; weights are random from 1");
  Dynamic dynamic =
      dynamic_options(&arguments, {8, 32, 32}, "edges of a node that its own thread relaxes");
  unsigned lists = work_lists_option(&arguments);
  arguments.done();

  Graph graph = graph_input_make(input, arguments);
  int source = graph_input_source(input, graph);
  graph_print(graph);
  std::vector<int> weights =
      Random(arguments.seed() + 1).integers((size_t)graph.edges(), 1, heaviest + 1);
  dynamic_make_room(dynamic, graph.nodes);
  Comparison comparison;
  comparison.exact("costs", search_on_device(graph, weights, source, dynamic, lists),
                   search_on_host(graph, weights, source));
  return comparison.verdict();
}
