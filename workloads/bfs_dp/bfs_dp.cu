// SPDX-License-Identifier: MIT
// nvcc: -rdc=true
// Breadth-first search, level by level, in which the thread of a node with many edges
// launches a kernel to follow them: Wang and Yalamanchili, "Characterization and Analysis
// of Dynamic Parallelism in Unstructured GPU Applications", IISWC 2014.
//
// A stage is a parent (visit), its children (follow) and, from the host, a barrier kernel
// (advance) that makes the marked nodes the next frontier. Parent and child share the
// node's edges only in lines where they meet; siblings share what they mark: targets are
// anywhere.
//
// With --lists N the frontier is a set of nodes in lists, as the text of Tang et al. has it ("a
// node from the frontier node set"), the grid has N CTAs at any size of the graph (the longest
// chains of CTAs in their table 2 have 240, whatever the input), and a node's state is its cost and
// a mark of 4 bytes each.
//
// BFS-small, BFS-citation and BFS-graph500. Level by level; one thread per frontier node
// launches a kernel with one thread per edge if there are more than `--threshold`. The
// Kronecker graph has 6885 nodes with more than 128 edges (degrees depend on the number of ones
// in a node's index), each of which launches one child; with two kernels for each of 7 stages
// this gives the paper's number. The search begins at a node with an edge, in the Kronecker
// graph at the node farthest from it, since most nodes reach everything within 4 steps.
// `--lists N` (also of coloring and sssp): N CTAs whatever the graph, each warp with a list of
// its frontier nodes, and state of 4 bytes per node, as the text suggests ("a node from the
// frontier node set"; chains of at most 240 CTAs for all three inputs). Its reuse differs
// little.
#include "common/compare.h"
#include "common/device_array.h"
#include "common/dynamic.h"
#include "common/graph_input.h"
#include "common/timer.h"
#include "common/work_list.h"

enum { THREADS = 128 };  // 16 CTAs of it fill an SM of 2048 threads

struct Search {
  const int *start, *targets;
  uint8_t *frontier, *next, *visited;
  int *cost;
};

__device__ void reach(const Search &search, int target, int cost) {
  if (search.visited[target]) return;
  search.cost[target] = cost;
  search.next[target] = 1;
}

__global__ void follow(Search search, int first, int count, int cost) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) reach(search, search.targets[first + i], cost);
}

__global__ void visit(Search search, int nodes, Dynamic dynamic) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= nodes || !search.frontier[n]) return;
  search.frontier[n] = 0;
  int first = search.start[n], count = search.start[n + 1] - first, cost = search.cost[n] + 1;
  if (dynamic.wants_child(count)) {
    ChildStream stream(dynamic);
    follow<<<(count + THREADS - 1) / THREADS, THREADS, 0, stream>>>(search, first, count, cost);
    if (cudaGetLastError() == cudaSuccess) return;
  }
#pragma unroll 1
  for (int i = 0; i < count; i++) reach(search, search.targets[first + i], cost);
}

__global__ void advance(Search search, int nodes, int *goes_on) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= nodes || !search.next[n]) return;
  search.frontier[n] = 1;
  search.visited[n] = 1;
  search.next[n] = 0;
  *goes_on = 1;
}

// ---- with work lists

struct ListSearch {
  const int *start, *targets;
  int *cost, *next;
};

__device__ void reach_listed(const ListSearch &search, int target) {
  if (search.cost[target] < 0) search.next[target] = 1;
}

__global__ void follow_listed(ListSearch search, int first, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) reach_listed(search, search.targets[first + i]);
}

__global__ void visit_lists(ListSearch search, WorkLists lists, Dynamic dynamic) {
  WorkWarp warp = work_warp(lists);
  for (int at = warp.lane; at < *warp.count; at += 32) {
    int n = warp.items[at], first = search.start[n], count = search.start[n + 1] - first;
    if (dynamic.wants_child(count)) {
      ChildStream stream(dynamic);
      follow_listed<<<(count + THREADS - 1) / THREADS, THREADS, 0, stream>>>(search, first, count);
      if (cudaGetLastError() == cudaSuccess) continue;
    }
#pragma unroll 1
    for (int i = 0; i < count; i++) reach_listed(search, search.targets[first + i]);
  }
}

// The marked nodes become the lists; their cost is that of the stage.
__global__ void advance_lists(ListSearch search, WorkLists lists, int cost, int *goes_on) {
  WorkWarp warp = work_warp(lists);
  int used = 0;
  for (int first = warp.first; first < warp.end; first += 32) {
    int n = first + warp.lane;
    bool is_next = n < warp.end && search.next[n];
    used = work_append(warp, used, is_next, n);
    if (!is_next) continue;
    search.next[n] = 0;
    search.cost[n] = cost;
  }
  if (warp.lane == 0) *warp.count = used;
  if (warp.lane == 0 && used) *goes_on = 1;
}

static std::vector<int> search_by_lists(const Graph &graph, int source, const Dynamic &dynamic,
                                        unsigned ctas) {
  std::vector<int> unknown((size_t)graph.nodes, -1);
  unknown[source] = 0;
  DeviceArray<int> start(graph.start), targets(graph.target), cost(unknown), goes_on(1);
  DeviceArray<int> next((size_t)graph.nodes);
  WorkListArrays lists(graph.nodes, ctas, THREADS, [&](int n) { return n == source; });
  ListSearch search = {start, targets, cost, next};
  int stages = 0;
  Timer timer;
  do {
    goes_on.set(std::vector<int>(1, 0));
    visit_lists<<<ctas, THREADS>>>(search, lists.lists(), dynamic);
    advance_lists<<<ctas, THREADS>>>(search, lists.lists(), ++stages, goes_on);
  } while (goes_on.get()[0]);
  timer.stop("bfs_dp");
  printf("%d stages, the last of which reaches nothing new\n", stages);
  return cost.get();
}

static std::vector<int> search_on_device(const Graph &graph, int source, const Dynamic &dynamic) {
  size_t nodes = (size_t)graph.nodes;
  std::vector<uint8_t> only_source(nodes);
  std::vector<int> unknown(nodes, -1);
  only_source[source] = 1;
  unknown[source] = 0;
  DeviceArray<int> start(graph.start), targets(graph.target), cost(unknown), goes_on(1);
  DeviceArray<uint8_t> frontier(only_source), next(nodes), visited(only_source);
  Search search = {start, targets, frontier, next, visited, cost};
  unsigned ctas = ctas_for(graph.nodes, THREADS);
  int stages = 0;
  Timer timer;
  do {
    goes_on.set(std::vector<int>(1, 0));
    visit<<<ctas, THREADS>>>(search, graph.nodes, dynamic);
    advance<<<ctas, THREADS>>>(search, graph.nodes, goes_on);
    stages++;
  } while (goes_on.get()[0]);
  timer.stop("bfs_dp");
  printf("%d stages, the last of which reaches nothing new\n", stages);
  return cost.get();
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "breadth-first search with dynamic parallelism");
  GraphInput input = graph_input_options(&arguments);
  graph_source_option(&arguments, &input);
  Dynamic dynamic =
      dynamic_options(&arguments, {16, 32, 128}, "edges of a node that its own thread follows");
  unsigned lists = work_lists_option(&arguments);
  arguments.done();

  Graph graph = graph_input_make(input, arguments);
  int source = graph_input_source(input, graph), last;
  graph_print(graph);
  dynamic_make_room(dynamic, graph.nodes);
  Comparison comparison;
  comparison.exact("costs",
                   lists ? search_by_lists(graph, source, dynamic, lists)
                         : search_on_device(graph, source, dynamic),
                   graph_levels(graph, source, &last));
  return comparison.verdict();
}
