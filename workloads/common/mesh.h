// SPDX-License-Identifier: MIT
// Generated meshes: nodes near the points of a lattice, and edges between those
// that are near each other. Numbers follow the lattice, except that within each
// window of so many nodes they are shuffled: neighbours in space are
// neighbours in memory, roughly, as in meshes and molecules that were sorted once.
//
// Yen describes bfs, sta, gsim, nbf, moldyn, irreg, euler and unstructured in one line each and
// states their data sizes; their sources were never published. Known are CTAs of 6 warps and,
// from tables 6 and 7, the behaviour of three programs with one to eight CTAs per SM and no L2.
// nbf reads 169 lines of 128 bytes per CTA if one CTA is resident, little more than the data of
// 192 molecules of about 100 bytes, and 2.59 times as many if two are. Hence a molecule's list
// of partners is contiguous, each lane traverses its own, and the working set of one CTA fits
// the L1 where that of two does not. Lists and chunks of edges are laid out accordingly here.
// Our nbf, with 40000 molecules: 179 lines per CTA without reuse from other CTAs, 514 in all,
// and 2.8 times as many with two CTAs (`--set l2.enabled=false --set sm.registers=131072 --set
// policy.throttle=fixed:ctas=2`). unstructured reads 9 times as much per CTA, so a thread
// processes several nodes. Where fewer than 8 CTAs fit here, the thesis has 8, at least for nbf
// and unstructured: real compilers use fewer registers; `--set sm.registers=131072`
// compensates. Sums by atomics depend on their order in the last bits: results are compared with
// a tolerance. A megabyte is 2^20 bytes and counts the device arrays of a program at `paper`.
#ifndef WORKLOADS_MESH_H
#define WORKLOADS_MESH_H

#include <algorithm>
#include <numeric>
#include <vector>

#include "common/arguments.h"
#include "common/graph.h"
#include "common/random.h"
#include "common/vectors.h"

struct Offset {
  int x, y, z;
};

struct Mesh {
  int nodes = 0, side = 0;  // the lattice has side^3 points, the last of which may lack
  HostVectors position;     // of each node
  std::vector<int> number;  // of the node at each point
  std::vector<Edge> edges;  // each once, by first node
  // The node at a point, -1 if there is none.
  int at(int px, int py, int pz) const {
    bool exists = px >= 0 && px < side && py >= 0 && py < side && pz >= 0 && pz < side;
    long long point = ((long long)pz * side + py) * side + px;
    return exists && point < nodes ? number[(size_t)point] : -1;
  }
};

// What joins points to tetrahedra: 14 neighbours, half of them here.
static inline std::vector<Offset> tetrahedral_offsets() {
  return {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1}};
}

// The points up to the square root of `square` away, of each pair of opposite ones one.
static inline std::vector<Offset> offsets_within(int square) {
  std::vector<Offset> offsets;
  for (int z = 0; z * z <= square; z++)
    for (int y = -square; y <= square; y++)
      for (int x = -square; x <= square; x++) {
        bool is_first = z > 0 || (z == 0 && (y > 0 || (y == 0 && x > 0)));
        if (is_first && x * x + y * y + z * z <= square) offsets.push_back({x, y, z});
      }
  return offsets;
}

static inline std::vector<int> shuffled_in_windows(int count, int window, Random *random) {
  std::vector<int> numbers((size_t)count);
  std::iota(numbers.begin(), numbers.end(), 0);
  for (int first = 0; first < count; first += window) {
    int length = std::min(window, count - first);
    for (int i = length - 1; i > 0; i--)
      std::swap(numbers[first + i], numbers[first + (int)random->below((uint32_t)i + 1)]);
  }
  return numbers;
}

// What every program on a mesh can be told.
struct MeshOptions {
  int nodes, window, steps;
  uint64_t seed;
};

// `name`: what the nodes are.
static inline MeshOptions mesh_options(Arguments *arguments, const char *name, BySize nodes,
                                       BySize steps) {
  MeshOptions options;
  options.nodes = (int)arguments->number(name, nodes, 1, 1 << 22, "how many there are");
  options.steps = (int)arguments->number("steps", steps, 1, 10000, "times they are gone through");
  options.window = (int)arguments->number("window", {64, 64, 64}, 1, 1 << 22,
                                          "how many have their numbers shuffled among them");
  options.seed = arguments->seed();
  return options;
}

static inline Mesh mesh_generate(const MeshOptions &options, const std::vector<Offset> &offsets) {
  Random random(options.seed);
  Mesh mesh;
  int nodes = mesh.nodes = options.nodes;
  while ((long long)mesh.side * mesh.side * mesh.side < nodes) mesh.side++;
  mesh.number = shuffled_in_windows(nodes, options.window, &random);
  for (auto &coordinate : mesh.position) coordinate.resize((size_t)nodes);
  for (int i = 0; i < nodes; i++) {
    int node = mesh.number[i];
    int p[] = {i % mesh.side, i / mesh.side % mesh.side, i / mesh.side / mesh.side};
    for (int d = 0; d < 3; d++) mesh.position[d][node] = (float)p[d] + random.uniform(-0.1f, 0.1f);
    for (const Offset &offset : offsets) {
      int other = mesh.at(p[0] + offset.x, p[1] + offset.y, p[2] + offset.z);
      if (other >= 0) mesh.edges.push_back(Edge(node, other));
    }
  }
  std::sort(mesh.edges.begin(), mesh.edges.end());
  return mesh;
}

static inline std::vector<int> first_ends(const std::vector<Edge> &edges) {
  std::vector<int> ends;
  for (const Edge &edge : edges) ends.push_back(edge.first);
  return ends;
}
static inline std::vector<int> second_ends(const std::vector<Edge> &edges) {
  std::vector<int> ends;
  for (const Edge &edge : edges) ends.push_back(edge.second);
  return ends;
}

// Every edge in both directions: all neighbours of each node.
static inline Graph neighbours(const Mesh &mesh) {
  std::vector<Edge> edges;
  for (const Edge &edge : mesh.edges) {
    edges.push_back(edge);
    edges.push_back(Edge(edge.second, edge.first));
  }
  return graph_from_edges(mesh.nodes, edges);
}

#endif
