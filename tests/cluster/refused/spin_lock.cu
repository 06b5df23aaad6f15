// SPDX-License-Identifier: MIT
// refused: 7: waits in a loop for a lock
__device__ int mutex;

__global__ void guarded(int *total) {
  bool done = false;
  while (!done) {
    if (atomicCAS(&mutex, 0, 1) == 0) {
      *total += blockIdx.x;
      __threadfence();
      atomicExch(&mutex, 0);
      done = true;
    }
  }
}

void run(int *total) { guarded<<<8, 1>>>(total); }
