// SPDX-License-Identifier: MIT
#ifndef TESTS_CLUSTER_PLACES_CUH
#define TESTS_CLUSTER_PLACES_CUH

static __device__ int pixel_x() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ int pixel_y() { return blockIdx.y * blockDim.y + threadIdx.y; }

#endif
