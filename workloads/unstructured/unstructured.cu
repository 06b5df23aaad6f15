// SPDX-License-Identifier: MIT
// Fluid dynamics on nodes, edges and faces of an unstructured mesh. A CTA has
// 768 nodes that follow each other, a thread four of them; for each it walks along
// the list of its edges, then along the list of its faces and on to their corners.
// The lanes of a warp are in different lines, and want them again many steps later:
// the lines of a few warps fill an L1. States of neighbours, 16 bytes, are read
// where the lists lead, by several CTAs.
//
// UNSTR in Yen (irregular, 10.2 MB). A time step of every node from its edges and faces; 768
// nodes per CTA, four per thread, without write sharing. Of the faces of the tetrahedra, three
// per node are included. At `paper`: 49800 nodes, 10 steps.
#include <array>

#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/mesh.h"
#include "common/state.h"
#include "common/timer.h"

enum { CTA = 192, NODES = 4 };

#define EDGE_SHARE 0.02f
#define FACE_SHARE 0.005f

// Edge i of the lists leads to `neighbour` with this weight; face i is `face`.
struct Lists {
  const int *edge_start, *neighbour;
  const float *weight;
  const int *face_start, *face, *corner;  // three corners a face
};

__device__ static State next_state(const State *state, const Lists &lists, int node) {
  State own = state[node], sum = own;
#pragma unroll 1
  for (int i = lists.edge_start[node]; i < lists.edge_start[node + 1]; i++) {
    State other = state[lists.neighbour[i]];
    float share = EDGE_SHARE * lists.weight[i];
    for (int v = 0; v < VARIABLES; v++) sum.q[v] += share * (other.q[v] - own.q[v]);
  }
#pragma unroll 1
  for (int i = lists.face_start[node]; i < lists.face_start[node + 1]; i++) {
    const int *corner = lists.corner + 3 * lists.face[i];
    State a = state[corner[0]], b = state[corner[1]], c = state[corner[2]];
    for (int v = 0; v < VARIABLES; v++)
      sum.q[v] += FACE_SHARE * (a.q[v] + b.q[v] + c.q[v] - 3 * own.q[v]);
  }
  return sum;
}

__global__ void take_step(State *next, const State *state, Lists lists, int nodes) {
  int first = blockIdx.x * CTA * NODES, last = min(first + CTA * NODES, nodes);
#pragma unroll 1
  for (int node = first + threadIdx.x; node < last; node += CTA)
    next[node] = next_state(state, lists, node);
}

typedef std::array<int, 3> Face;

// The triangles that begin with a step along an axis and go on along another.
static std::vector<Face> faces_of(const Mesh &mesh) {
  std::vector<Face> faces;
  for (int p = 0; p < mesh.nodes; p++) {
    const int at[] = {p % mesh.side, p / mesh.side % mesh.side, p / mesh.side / mesh.side};
    for (int one = 0; one < 3; one++)
      for (int other = one + 1; other < 3; other++) {
        int b[] = {at[0], at[1], at[2]};
        b[one]++;
        int c[] = {b[0], b[1], b[2]};
        c[other]++;
        Face face = {
            {mesh.at(at[0], at[1], at[2]), mesh.at(b[0], b[1], b[2]), mesh.at(c[0], c[1], c[2])}};
        if (face[1] >= 0 && face[2] >= 0) faces.push_back(face);
      }
  }
  std::sort(faces.begin(), faces.end());
  return faces;
}

// From a node to the faces of which it is a corner.
static Graph faces_by_node(int nodes, const std::vector<Face> &faces) {
  std::vector<Edge> edges;
  for (size_t f = 0; f < faces.size(); f++)
    for (int corner : faces[f]) edges.push_back(Edge(corner, (int)f));
  return graph_from_edges(nodes, edges);
}

static std::vector<int> corners_of(const std::vector<Face> &faces) {
  std::vector<int> corners;
  for (const Face &face : faces) corners.insert(corners.end(), face.begin(), face.end());
  return corners;
}

// Goes through edges and faces, not nodes. What node a loses to b depends on its list's weight.
static std::vector<float> step_on_host(const std::vector<float> &q, const Graph &edges,
                                       const std::vector<float> &weight,
                                       const std::vector<Face> &faces) {
  std::vector<double> next(q.begin(), q.end());
  auto add = [&](size_t to, size_t from, double share) {
    for (size_t v = 0; v < VARIABLES; v++)
      next[to * VARIABLES + v] += share * (q[from * VARIABLES + v] - q[to * VARIABLES + v]);
  };
  for (size_t n = 0; n < (size_t)edges.nodes; n++)
    for (int i = edges.start[n]; i < edges.start[n + 1]; i++)
      add(n, (size_t)edges.target[i], EDGE_SHARE * weight[i]);
  for (const Face &face : faces)
    for (int to : face)
      for (int from : face) add((size_t)to, (size_t)from, FACE_SHARE);
  return std::vector<float>(next.begin(), next.end());
}

static std::vector<State> states(const std::vector<float> &q) {
  std::vector<State> all(q.size() / VARIABLES);
  for (size_t i = 0; i < q.size(); i++) all[i / VARIABLES].q[i % VARIABLES] = q[i];
  return all;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "fluid dynamics on an unstructured mesh");
  MeshOptions options = mesh_options(&arguments, "nodes", {1600, 24000, 49800}, {1, 1, 10});
  arguments.done();

  Mesh mesh = mesh_generate(options, tetrahedral_offsets());
  int nodes = mesh.nodes;
  Graph edges = neighbours(mesh);
  std::vector<Face> faces = faces_of(mesh);
  Graph by_node = faces_by_node(nodes, faces);
  Random random(arguments.seed() + 1);
  std::vector<float> q = random.floats((size_t)nodes * VARIABLES, 0, 1);
  std::vector<float> weight = random.floats(edges.target.size(), 0, 1);
  DeviceArray<State> one(states(q)), other((size_t)nodes);
  DeviceArray<float> device_weight(weight);
  DeviceArray<int> edge_start(edges.start), neighbour(edges.target);
  DeviceArray<int> face_start(by_node.start), face(by_node.target), corner(corners_of(faces));
  Lists lists = {edge_start, neighbour, device_weight, face_start, face, corner};
  Timer timer;
  for (int i = 0; i < options.steps; i++)
    take_step<<<ctas_for(nodes, CTA * NODES), CTA>>>(i % 2 ? one : other, i % 2 ? other : one,
                                                     lists, nodes);
  timer.stop("unstructured");

  for (int i = 0; i < options.steps; i++) q = step_on_host(q, edges, weight, faces);
  Comparison comparison;
  comparison.near("states", flat((options.steps % 2 ? other : one).get()), q, 1e-5);
  return comparison.verdict();
}
