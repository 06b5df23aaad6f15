// SPDX-License-Identifier: MIT
// nvcc: -rdc=true
// Graph colouring by speculation: every node without a colour proposes the smallest one
// that no neighbour has; where neighbours propose the same, the one with more edges keeps
// it and the other proposes again (Gebremedhin and Manne's scheme, in rounds).
//
// A stage is a parent (inspect), in which the thread of a node with many edges launches a
// child (inspect_edges) to look at its neighbours, and from the host a barrier kernel
// (settle) that colours those who did not lose and makes the others' next proposals.
// In a clique one node a stage gets its colour. A node's edges are read again in every
// stage until it has one, by other kernels each time.
//
// GC-citation and GC-graph500. Speculative: each uncoloured node proposes the smallest colour
// that no neighbour has; if neighbours propose the same, the one with more edges keeps it. A
// stage colours one node of each clique, so the collaboration network takes 88 stages for its
// clique of 87, as in the paper. The Kronecker graph takes 191 stages (paper: 139). With one
// stage per colour it cannot be much less: the sequential greedy colouring by degree needs 175
// colours, smallest-last order 174 and DSATUR 161. GraphBIG's program, which the paper names,
// colours local maxima of random numbers; that takes 980 stages here (and at least as many as
// there are nodes in the largest clique), so the paper's program is unknown.
#include "common/compare.h"
#include "common/device_array.h"
#include "common/dynamic.h"
#include "common/graph_input.h"
#include "common/timer.h"
#include "common/work_list.h"

enum { THREADS = 128, WINDOW = 64, NO_COLOR = -1 };

typedef unsigned long long Bits;

struct Coloring {
  const int *start, *targets;
  const unsigned *priority;  // of a node, no two alike
  int *color, *proposal;
  int *base;   // all colours below it are known to be taken by neighbours
  Bits *used;  // those of the WINDOW colours from there that neighbours have
  int *lost;   // whether somebody else has or keeps what was proposed
};

// What one neighbour means for node n: adds to *used; true if n has lost.
__host__ __device__ static bool inspect_neighbour(const Coloring &all, int n, int neighbour,
                                                  int proposal, Bits *used) {
  int color = all.color[neighbour];
  if (color == NO_COLOR)
    return all.proposal[neighbour] == proposal && all.priority[neighbour] > all.priority[n];
  int place = color - all.base[n];
  if (place >= 0 && place < WINDOW) *used |= (Bits)1 << place;
  return color == proposal;
}

__host__ __device__ static void inspect_all(const Coloring &all, int n, int first, int count) {
  int proposal = all.proposal[n];
  bool has_lost = false;
  Bits used = 0;
#pragma unroll 1
  for (int i = 0; i < count; i++)
    has_lost |= inspect_neighbour(all, n, all.targets[first + i], proposal, &used);
  all.lost[n] = has_lost;
  all.used[n] = used;
}

// True if the node has got its colour. Else it proposes again: whoever won against it
// mostly keeps the colour, so that is avoided, too.
__host__ __device__ static bool settle_node(const Coloring &all, int n) {
  int proposal = all.proposal[n], base = all.base[n], place = proposal - base, next = 0;
  if (!all.lost[n]) {
    all.color[n] = proposal;
    return true;
  }
  Bits used = all.used[n];
  if (used == ~(Bits)0) all.base[n] = base + WINDOW;
  if (place >= 0 && place < WINDOW) used |= (Bits)1 << place;
  while (next < WINDOW && used >> next & 1) next++;
  all.proposal[n] = base + next;
  all.lost[n] = 0;
  all.used[n] = 0;
  return false;
}

__global__ void inspect_edges(Coloring all, int n, int first, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Bits used = 0;
  if (inspect_neighbour(all, n, all.targets[first + i], all.proposal[n], &used)) all.lost[n] = 1;
  if (used) atomicOr(&all.used[n], used);
}

__global__ void inspect(Coloring all, int nodes, Dynamic dynamic) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= nodes || all.color[n] != NO_COLOR) return;
  int first = all.start[n], count = all.start[n + 1] - first;
  if (dynamic.wants_child(count)) {
    ChildStream stream(dynamic);
    inspect_edges<<<(count + THREADS - 1) / THREADS, THREADS, 0, stream>>>(all, n, first, count);
    if (cudaGetLastError() == cudaSuccess) return;
  }
  inspect_all(all, n, first, count);
}

__global__ void settle(Coloring all, int nodes, int *goes_on) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < nodes && all.color[n] == NO_COLOR && !settle_node(all, n)) *goes_on = 1;
}

// ---- with work lists of the nodes without a colour

__global__ void inspect_lists(Coloring all, WorkLists lists, Dynamic dynamic) {
  WorkWarp warp = work_warp(lists);
  for (int at = warp.lane; at < *warp.count; at += 32) {
    int n = warp.items[at], first = all.start[n], count = all.start[n + 1] - first;
    if (dynamic.wants_child(count)) {
      ChildStream stream(dynamic);
      inspect_edges<<<(count + THREADS - 1) / THREADS, THREADS, 0, stream>>>(all, n, first, count);
      if (cudaGetLastError() == cudaSuccess) continue;
    }
    inspect_all(all, n, first, count);
  }
}

// What stays is written over what was read: never behind it.
__global__ void settle_lists(Coloring all, WorkLists lists, int *goes_on) {
  WorkWarp warp = work_warp(lists);
  int used = 0, count = *warp.count;
  for (int first = 0; first < count; first += 32) {
    int at = first + warp.lane, n = at < count ? warp.items[at] : 0;
    bool has_lost = at < count && !settle_node(all, n);
    __syncwarp();
    used = work_append(warp, used, has_lost, n);
  }
  __syncwarp();
  if (warp.lane == 0) *warp.count = used;
  if (warp.lane == 0 && used) *goes_on = 1;
}

// By edges; which of several with the same number comes first is random.
static std::vector<unsigned> make_priorities(const Graph &graph, uint64_t seed) {
  Random random(seed);
  std::vector<uint64_t> keys;
  for (int n = 0; n < graph.nodes; n++)
    keys.push_back((uint64_t)(graph.start[n + 1] - graph.start[n]) << 32 | random.bits() >> 32);
  std::vector<int> order((size_t)graph.nodes);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
  std::vector<unsigned> priority(order.size());
  for (size_t i = 0; i < order.size(); i++) priority[order[i]] = (unsigned)i;
  return priority;
}

static std::vector<int> color_on_device(const Graph &graph, const std::vector<unsigned> &priorities,
                                        const Dynamic &dynamic, unsigned list_ctas) {
  size_t nodes = (size_t)graph.nodes;
  DeviceArray<int> start(graph.start), targets(graph.target), goes_on(1);
  DeviceArray<int> color(std::vector<int>(nodes, NO_COLOR)), proposal(nodes), base(nodes);
  DeviceArray<int> lost(nodes);
  DeviceArray<unsigned> priority(priorities);
  DeviceArray<Bits> used(nodes);
  Coloring all = {start, targets, priority, color, proposal, base, used, lost};
  unsigned ctas = list_ctas ? list_ctas : ctas_for(graph.nodes, THREADS);
  WorkListArrays lists(graph.nodes, ctas, THREADS, [](int) { return true; });
  int stages = 0;
  Timer timer;
  do {
    goes_on.set(std::vector<int>(1, 0));
    if (list_ctas) {
      inspect_lists<<<ctas, THREADS>>>(all, lists.lists(), dynamic);
      settle_lists<<<ctas, THREADS>>>(all, lists.lists(), goes_on);
    } else {
      inspect<<<ctas, THREADS>>>(all, graph.nodes, dynamic);
      settle<<<ctas, THREADS>>>(all, graph.nodes, goes_on);
    }
    stages++;
  } while (goes_on.get()[0]);
  timer.stop("coloring");
  printf("%d stages\n", stages);
  return color.get();
}

// The same rounds, a node after the other.
static std::vector<int> color_on_host(const Graph &graph, const std::vector<unsigned> &priority) {
  size_t nodes = (size_t)graph.nodes;
  std::vector<int> color(nodes, NO_COLOR), proposal(nodes), base(nodes), lost(nodes), left(nodes);
  std::vector<Bits> used(nodes);
  Coloring all = {graph.start.data(), graph.target.data(), priority.data(), color.data(),
                  proposal.data(),    base.data(),         used.data(),     lost.data()};
  std::iota(left.begin(), left.end(), 0);
  while (!left.empty()) {
    std::vector<int> losers;
    for (int n : left) inspect_all(all, n, graph.start[n], graph.start[n + 1] - graph.start[n]);
    for (int n : left)
      if (!settle_node(all, n)) losers.push_back(n);
    left.swap(losers);
  }
  return color;
}

// A colouring in which no edge has one colour at both ends.
static bool is_proper(const Graph &graph, const std::vector<int> &color) {
  for (int n = 0; n < graph.nodes; n++) {
    if (color[n] < 0) return false;
    for (int i = graph.start[n]; i < graph.start[n + 1]; i++)
      if (graph.target[i] != n && color[graph.target[i]] == color[n]) return false;
  }
  return true;
}

// Edges in both directions and no loops, or neighbours would not see each other.
static Graph make_undirected(const Graph &graph) {
  std::vector<Edge> edges;
  for (int n = 0; n < graph.nodes; n++)
    for (int i = graph.start[n]; i < graph.start[n + 1]; i++) {
      if (graph.target[i] == n) continue;
      edges.push_back(Edge(n, graph.target[i]));
      edges.push_back(Edge(graph.target[i], n));
    }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return graph_from_edges(graph.nodes, edges);
}

int main(int argc, char **argv) {
  static const BySize thresholds[] = {{24, 64, 200}, {32, 400, 4360}, {24, 128, 512}};
  Arguments arguments(argc, argv, "graph colouring with dynamic parallelism");
  GraphInput input = graph_input_options(&arguments);
  Dynamic dynamic = dynamic_options(&arguments, thresholds[input.kind],
                                    "edges of a node that its own thread looks at");
  unsigned lists = work_lists_option(&arguments);
  arguments.done();

  Graph graph = make_undirected(graph_input_make(input, arguments));
  std::vector<unsigned> priorities = make_priorities(graph, arguments.seed() + 1);
  graph_print(graph);
  dynamic_make_room(dynamic, graph.nodes);
  std::vector<int> color = color_on_device(graph, priorities, dynamic, lists);
  printf("%d colours\n", 1 + *std::max_element(color.begin(), color.end()));
  Comparison comparison;
  comparison.holds("neighbours have different colours", is_proper(graph, color));
  comparison.exact("colours", color, color_on_host(graph, priorities));
  return comparison.verdict();
}
