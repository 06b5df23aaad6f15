// SPDX-License-Identifier: MIT
// Molecular dynamics: the forces of a list of pairs are added up, then velocities
// and positions change. A thread has eight pairs that follow each other and adds
// the force of each to both molecules by atomics, if they are near enough. A warp's
// load of pairs touches eight lines and the next seven want the same ones; positions
// are read where the pairs say. The list is sorted by the first of a pair.
//
// MOLDYN in Yen (irregular, 10.2 MB). Lennard-Jones forces of a list of pairs, at most 13 per
// molecule, and a time step; eight pairs per thread, added to both molecules by atomics if they
// are within the cutoff. The list is not rebuilt. At `paper`: 79200 molecules, 10 steps.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/mesh.h"
#include "common/timer.h"
#include "common/vectors.h"

enum { CTA = 192, PAIRS = 8 };

#define TIME_STEP 0.002f
#define SPACING 1.2f
#define CUTOFF_SQUARE 3.8f

// What the vector between two molecules is multiplied by to give their force:
// Lennard-Jones, less what it is at the cutoff, so that it ends there smoothly.
template <typename Real>
__host__ __device__ Real strength(Real square) {
  const Real cutoff = 1 / (Real)CUTOFF_SQUARE, cutoff_cube = cutoff * cutoff * cutoff;
  Real s = 1 / square, cube = s * s * s;
  return 24 * (s * cube * (2 * cube - 1) - cutoff * cutoff_cube * (2 * cutoff_cube - 1));
}

__global__ void add_forces(Vectors force, Vectors position, const int *one, const int *other,
                           int pairs) {
  int first = (blockIdx.x * CTA + threadIdx.x) * PAIRS, last = min(first + PAIRS, pairs);
#pragma unroll 1
  for (int p = first; p < last; p++) {
    int i = one[p], j = other[p];
    float between[3], square = 0;
    for (int d = 0; d < 3; d++) {
      between[d] = position.at[d][i] - position.at[d][j];
      square += between[d] * between[d];
    }
    if (square >= CUTOFF_SQUARE) continue;
    float f = strength(square);
    for (int d = 0; d < 3; d++) {
      atomicAdd(&force.at[d][i], f * between[d]);
      atomicAdd(&force.at[d][j], -f * between[d]);
    }
  }
}

// And clears the forces for the next step.
__global__ void move_molecules(Vectors position, Vectors velocity, Vectors force, int molecules) {
  int i = blockIdx.x * CTA + threadIdx.x;
  if (i >= molecules) return;
  for (int d = 0; d < 3; d++) {
    velocity.at[d][i] += TIME_STEP * force.at[d][i];
    position.at[d][i] += TIME_STEP * velocity.at[d][i];
    force.at[d][i] = 0;
  }
}

typedef std::array<std::vector<double>, 3> Exact;

static void step_on_host(Exact *position, Exact *velocity, const std::vector<Edge> &pairs) {
  Exact force;
  for (auto &coordinate : force) coordinate.resize((*position)[0].size());
  for (const Edge &pair : pairs) {
    double between[3], square = 0;
    for (int d = 0; d < 3; d++) {
      between[d] = (*position)[d][pair.first] - (*position)[d][pair.second];
      square += between[d] * between[d];
    }
    if (square >= CUTOFF_SQUARE) continue;
    for (int d = 0; d < 3; d++) {
      force[d][pair.first] += strength(square) * between[d];
      force[d][pair.second] -= strength(square) * between[d];
    }
  }
  for (int d = 0; d < 3; d++)
    for (size_t i = 0; i < force[d].size(); i++) {
      (*velocity)[d][i] += TIME_STEP * force[d][i];
      (*position)[d][i] += TIME_STEP * (*velocity)[d][i];
    }
}

static Exact exact(const HostVectors &vectors) {
  Exact copy;
  for (int d = 0; d < 3; d++) copy[d].assign(vectors[d].begin(), vectors[d].end());
  return copy;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "molecular dynamics with a list of pairs");
  MeshOptions options = mesh_options(&arguments, "molecules", {1000, 12000, 79200}, {2, 2, 10});
  arguments.done();

  Mesh mesh = mesh_generate(options, offsets_within(3));
  int molecules = mesh.nodes;
  int pairs = (int)mesh.edges.size();
  Random random(arguments.seed() + 1);
  HostVectors speed;
  for (auto &coordinate : mesh.position)
    for (float &place : coordinate) place *= SPACING;
  for (auto &coordinate : speed) coordinate = random.floats((size_t)molecules, -1, 1);
  DeviceVectors position(mesh.position), velocity(speed), force((size_t)molecules);
  DeviceArray<int> one(first_ends(mesh.edges)), other(second_ends(mesh.edges));
  Timer timer;
  for (int i = 0; i < options.steps; i++) {
    add_forces<<<ctas_for(pairs, CTA * PAIRS), CTA>>>(force, position, one, other, pairs);
    move_molecules<<<ctas_for(molecules, CTA), CTA>>>(position, velocity, force, molecules);
  }
  timer.stop("moldyn");

  Exact places = exact(mesh.position), speeds = exact(speed);
  for (int i = 0; i < options.steps; i++) step_on_host(&places, &speeds, mesh.edges);
  Exact got_places = exact(position.get()), got_speeds = exact(velocity.get());
  Comparison comparison;
  for (int d = 0; d < 3; d++) {
    comparison.near("positions", got_places[d], places[d], 1e-5);
    comparison.near("velocities", got_speeds[d], speeds[d], 1e-4);
  }
  return comparison.verdict();
}
