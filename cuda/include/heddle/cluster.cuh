// SPDX-License-Identifier: MIT
// CTA clustering: a kernel executes its CTAs in another order, so that CTAs that
// share data run on one SM, concurrently or in succession.
//
// Li, Song, Liu, Liu, Kumar and Corporaal, "Locality-Aware CTA Clustering for
// Modern GPUs", ASPLOS 2017. `heddle cluster` writes sources that use this
// header; it depends on nothing else of Heddle and works with nvcc and C++11.
//
//   __global__ void scale(heddle::cluster::Agents<heddle::cluster::RowMajor> agents, float *a) {
//     agents.for_each_cta([&](uint3 blockIdx, dim3 gridDim) {
//       ... the body of scale: blockIdx and gridDim are those of a CTA of the original grid ...
//     });
//   }
//   heddle::cluster::launch(scale, grid, block)(a);   // was: scale<<<grid, block>>>(a)
//
// The kernel's first parameter selects the method (Agents or Redirection), the
// order in which CTAs are numbered (orders.cuh) and the throttling. At run time
//
//   HEDDLE_CLUSTER_ACTIVE=N   active agents per SM, overriding the source; also all, vote
//   HEDDLE_CLUSTER_VERBOSE=1  prints a line per launch on standard error
//
// -DHEDDLE_CLUSTER_TRUST_SLOTS: see Agents.
#ifndef HEDDLE_CLUSTER_CUH
#define HEDDLE_CLUSTER_CUH

#include <cuda_runtime.h>

#include "cluster/partition.cuh"
#include "cluster/orders.cuh"
#include "cluster/redirection.cuh"
#include "cluster/agents.cuh"
#include "cluster/loads.cuh"
#include "cluster/launch.cuh"

#endif
