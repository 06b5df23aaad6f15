// SPDX-License-Identifier: MIT
// Fault: an array of structures of which the kernel needs one member: a sector per lane.
// Repair: a structure of arrays.
#include "program.h"

struct Particle {
  float mass, x, y, z, u, v, w, charge;
};

__global__ void weigh(const Particle *particles, const float *masses, float *sums, int each) {
  int at = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  float sum = 0;
  for (int i = 0; i < each; i++)
#ifdef REPAIRED
    sum += masses[at + i * threads];
#else
    sum += particles[at + i * threads].mass;
#endif
  sums[at] = sum;
}

int main() {
  const int ctas = scaled(48), each = 8, threads = ctas * 128;
  Buffer<float> particles(threads * each * 8), masses(threads * each), sums(threads);
  particles.fill([](size_t) { return 0.25f; });
  masses.fill([](size_t) { return 0.25f; });
  weigh<<<ctas, 128>>>((const Particle *)particles.data, masses.data, sums.data, each);
  print_sum(sums);
}
