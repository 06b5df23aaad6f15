// SPDX-License-Identifier: MIT
// Expected: uncoalesced
// An array of structures: the lanes of a warp read words that are 32 bytes apart. Repair: a
// structure of arrays.
#include "../program.h"

struct Particle {
  float x, y, z, mass, vx, vy, vz, charge;
};

#ifdef REPAIRED
__global__ void move(float *x, const float *vx, float step, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    x[i] += vx[i] * step;
}
#else
__global__ void move(Particle *all, float step, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    all[i].x += all[i].vx * step;
}
#endif

int main() {
  const int n = 1 << 17;
#ifdef REPAIRED
  Buffer<float> x(n, 97), vx(n, 31);
  move<<<80, 256>>>(x.data, vx.data, 0.5f, n);
#else
  Buffer<float> x(n * 8, 97);
  move<<<80, 256>>>((Particle *)x.data, 0.5f, n);
#endif
  print_sum(x);
}
