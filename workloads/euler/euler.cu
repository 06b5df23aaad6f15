// SPDX-License-Identifier: MIT
// Flow of a gas on an unstructured mesh: each edge finds the flux between the cells
// around its two nodes, from density, momentum and energy, and adds it to one and
// takes it from the other by atomics; then nodes take their new state. A thread has
// four edges that follow each other. States are 16 bytes, eight to a line, and read
// where the edges lead; edges bring their own normals.
//
// EULER in Yen (irregular, 8.5 MB). Fluxes of density, momentum and energy over the edges of a
// mesh, four edges per thread, by atomics; then a time step. The mesh is three-dimensional, the
// flow planar with random normals: the accesses are realistic, the flow is not. At `paper`:
// 62200 nodes, 10 steps.
#include <cmath>

#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/mesh.h"
#include "common/state.h"
#include "common/timer.h"

enum { CTA = 192, EDGES = 4 };

#define TIME_STEP 0.02f

// Of a state: density, momentum in x and y, energy, in the plane.
struct Normal {
  float x, y;
};

// Half the sum of the fluxes at both ends, less a part of the difference that keeps it stable.
__host__ __device__ static State flux(const State &a, const State &b, Normal normal) {
  const State *ends[] = {&a, &b};
  State sum = {};
  for (int end = 0; end < 2; end++) {
    const float *q = ends[end]->q;
    float speed = (q[1] * normal.x + q[2] * normal.y) / q[0];
    float pressure = 0.4f * (q[3] - 0.5f * (q[1] * q[1] + q[2] * q[2]) / q[0]);
    sum.q[0] += 0.5f * q[0] * speed;
    sum.q[1] += 0.5f * (q[1] * speed + pressure * normal.x);
    sum.q[2] += 0.5f * (q[2] * speed + pressure * normal.y);
    sum.q[3] += 0.5f * (q[3] + pressure) * speed;
  }
  for (int v = 0; v < VARIABLES; v++) sum.q[v] += 0.5f * (a.q[v] - b.q[v]);
  return sum;
}

__global__ void add_fluxes(State *residual, const State *state, const int *left, const int *right,
                           const Normal *normal, int edges) {
  int first = (blockIdx.x * CTA + threadIdx.x) * EDGES, last = min(first + EDGES, edges);
#pragma unroll 1
  for (int e = first; e < last; e++) {
    int a = left[e], b = right[e];
    State flow = flux(state[a], state[b], normal[e]);
    for (int v = 0; v < VARIABLES; v++) {
      atomicAdd(&residual[a].q[v], -flow.q[v]);
      atomicAdd(&residual[b].q[v], flow.q[v]);
    }
  }
}

__global__ void take_step(State *state, State *residual, const float *volume, int nodes) {
  int n = blockIdx.x * CTA + threadIdx.x;
  if (n >= nodes) return;
  for (int v = 0; v < VARIABLES; v++) {
    state[n].q[v] += TIME_STEP / volume[n] * residual[n].q[v];
    residual[n].q[v] = 0;
  }
}

static void step_on_host(std::vector<State> *state, const std::vector<Edge> &edges,
                         const std::vector<Normal> &normal, const std::vector<float> &volume) {
  std::vector<State> before = *state;
  for (size_t e = 0; e < edges.size(); e++) {
    int a = edges[e].first, b = edges[e].second;
    State flow = flux(before[a], before[b], normal[e]);
    for (int v = 0; v < VARIABLES; v++) {
      (*state)[a].q[v] -= TIME_STEP / volume[a] * flow.q[v];
      (*state)[b].q[v] += TIME_STEP / volume[b] * flow.q[v];
    }
  }
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "flow of a gas on an unstructured mesh");
  MeshOptions options = mesh_options(&arguments, "nodes", {1000, 20000, 62200}, {2, 2, 10});
  arguments.done();

  Mesh mesh = mesh_generate(options, tetrahedral_offsets());
  int nodes = mesh.nodes;
  int edges = (int)mesh.edges.size();
  Random random(arguments.seed() + 1);
  std::vector<State> state((size_t)nodes);
  for (State &s : state)
    s = {{random.uniform(1, 1.2f), random.uniform(-0.1f, 0.1f), random.uniform(-0.1f, 0.1f),
          random.uniform(2, 2.4f)}};
  std::vector<Normal> normal((size_t)edges);
  for (Normal &n : normal) n = {random.uniform(-0.5f, 0.5f), random.uniform(-0.5f, 0.5f)};
  std::vector<float> volume = random.floats((size_t)nodes, 0.9f, 1.1f);
  DeviceArray<State> device_state(state), residual((size_t)nodes);
  DeviceArray<Normal> device_normal(normal);
  DeviceArray<float> device_volume(volume);
  DeviceArray<int> left(first_ends(mesh.edges)), right(second_ends(mesh.edges));
  Timer timer;
  for (int i = 0; i < options.steps; i++) {
    add_fluxes<<<ctas_for(edges, CTA * EDGES), CTA>>>(residual, device_state, left, right,
                                                      device_normal, edges);
    take_step<<<ctas_for(nodes, CTA), CTA>>>(device_state, residual, device_volume, nodes);
  }
  timer.stop("euler");

  for (int i = 0; i < options.steps; i++) step_on_host(&state, mesh.edges, normal, volume);
  Comparison comparison;
  comparison.near("states", flat(device_state.get()), flat(state), 1e-5);
  return comparison.verdict();
}
