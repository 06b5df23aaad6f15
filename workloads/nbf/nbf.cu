// SPDX-License-Identifier: MIT
// Forces between molecules that are not bonded, the kernel of a molecular-dynamics
// code: a thread sums the forces of one molecule's partners, which are in a list of
// its own. The lanes of a warp walk along lists that lie behind each other, and
// come back to their lines for many steps: one CTA's lines fit into an L1, those
// of a few do not. Positions are read where the lists say.
//
// NBF in Yen (irregular, 6.3 MB; nbfs in some of its tables). Forces on molecules, each with a
// list of at most 14 partners; one thread per molecule. The original visits each pair once and
// updates both; storing both directions avoids the atomics. At `paper`: 80700 molecules, 10
// iterations.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/mesh.h"
#include "common/timer.h"
#include "common/vectors.h"

enum { CTA = 192 };

// What the vector between two molecules is multiplied by to give their force.
__host__ __device__ static float strength(float square) {
  float s = 1.0f / square, cube = s * s * s;
  return (cube * cube - 0.5f * cube) * s;
}

__global__ void find_forces(Vectors force, Vectors position, const int *start, const int *partner,
                            int molecules) {
  int i = blockIdx.x * CTA + threadIdx.x;
  if (i >= molecules) return;
  float x = position.at[0][i], y = position.at[1][i], z = position.at[2][i];
  float fx = 0, fy = 0, fz = 0;
  int end = start[i + 1];
#pragma unroll 1
  for (int k = start[i]; k < end; k++) {
    int j = partner[k];
    float dx = x - position.at[0][j], dy = y - position.at[1][j], dz = z - position.at[2][j];
    float f = strength(dx * dx + dy * dy + dz * dz);
    fx += f * dx, fy += f * dy, fz += f * dz;
  }
  force.at[0][i] = fx, force.at[1][i] = fy, force.at[2][i] = fz;
}

// Goes through pairs, not lists.
static HostVectors forces_on_host(const Mesh &mesh) {
  HostVectors force;
  for (auto &coordinate : force) coordinate.resize((size_t)mesh.nodes);
  for (const Edge &pair : mesh.edges) {
    float between[3], square = 0;
    for (int d = 0; d < 3; d++) {
      between[d] = mesh.position[d][pair.first] - mesh.position[d][pair.second];
      square += between[d] * between[d];
    }
    for (int d = 0; d < 3; d++) {
      force[d][pair.first] += strength(square) * between[d];
      force[d][pair.second] -= strength(square) * between[d];
    }
  }
  return force;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "non-bonded forces of molecules");
  MeshOptions options = mesh_options(&arguments, "molecules", {2000, 40000, 80700}, {1, 1, 10});
  arguments.done();

  Mesh mesh = mesh_generate(options, tetrahedral_offsets());
  int molecules = mesh.nodes;
  Graph partners = neighbours(mesh);
  DeviceVectors position(mesh.position), force((size_t)molecules);
  DeviceArray<int> start(partners.start), partner(partners.target);
  Timer timer;
  for (int i = 0; i < options.steps; i++)
    find_forces<<<ctas_for(molecules, CTA), CTA>>>(force, position, start, partner, molecules);
  timer.stop("nbf");

  HostVectors got = force.get(), expected = forces_on_host(mesh);
  Comparison comparison;
  for (int d = 0; d < 3; d++) comparison.near("forces", got[d], expected[d], 1e-4);
  return comparison.verdict();
}
