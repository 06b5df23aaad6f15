// SPDX-License-Identifier: MIT
// Relaxation over the edges of a mesh, the kernel of an iterative solver: each edge
// moves what its ends differ by from one to the other. A thread has eight edges
// that follow each other, so a warp's load of edges touches eight lines and the
// next seven want the same ones; values are read, and changes added by atomics,
// where the edges lead. Edges are sorted by their first ends.
//
// IRREG in Yen (irregular, 6.3 MB). Relaxation over the edges of a mesh; eight edges per
// thread, both ends updated by atomics. At `paper`: 106700 nodes, 10 steps.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/mesh.h"
#include "common/timer.h"

enum { CTA = 192, EDGES = 8 };

__global__ void relax_edges(float *change, const float *value, const int *left, const int *right,
                            int edges) {
  int first = (blockIdx.x * CTA + threadIdx.x) * EDGES, last = min(first + EDGES, edges);
#pragma unroll 1
  for (int e = first; e < last; e++) {
    int a = left[e], b = right[e];
    float flow = (value[a] - value[b]) * 0.0625f;
    atomicAdd(&change[a], -flow);
    atomicAdd(&change[b], flow);
  }
}

__global__ void move_nodes(float *value, float *change, int nodes) {
  int n = blockIdx.x * CTA + threadIdx.x;
  if (n >= nodes) return;
  value[n] += change[n];
  change[n] = 0;
}

static void relax_on_host(std::vector<double> *value, const std::vector<Edge> &edges) {
  const std::vector<double> before = *value;
  for (const Edge &edge : edges) {
    double flow = (before[edge.first] - before[edge.second]) * 0.0625;
    (*value)[edge.first] -= flow;
    (*value)[edge.second] += flow;
  }
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "relaxation over the edges of a mesh");
  MeshOptions options = mesh_options(&arguments, "nodes", {3000, 40000, 106700}, {2, 2, 10});
  arguments.done();

  Mesh mesh = mesh_generate(options, tetrahedral_offsets());
  int nodes = mesh.nodes;
  int edges = (int)mesh.edges.size();
  Random random(arguments.seed() + 1);
  std::vector<float> value = random.floats((size_t)nodes, 0, 1);
  DeviceArray<float> device_value(value), change((size_t)nodes);
  DeviceArray<int> left(first_ends(mesh.edges)), right(second_ends(mesh.edges));
  Timer timer;
  for (int i = 0; i < options.steps; i++) {
    relax_edges<<<ctas_for(edges, CTA * EDGES), CTA>>>(change, device_value, left, right, edges);
    move_nodes<<<ctas_for(nodes, CTA), CTA>>>(device_value, change, nodes);
  }
  timer.stop("irreg");

  std::vector<double> expected(value.begin(), value.end());
  for (int i = 0; i < options.steps; i++) relax_on_host(&expected, mesh.edges);
  Comparison comparison;
  comparison.near("values", device_value.get(),
                  std::vector<float>(expected.begin(), expected.end()), 1e-5);
  return comparison.verdict();
}
