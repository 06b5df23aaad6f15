// SPDX-License-Identifier: MIT
// Redirection: as many CTAs as before, each of which does the work of another.
//
// The new CTA u is expected on SM u % M, as on a GPU that hands out CTAs in
// turn, and takes the CTA of cluster u % M that is next there. It costs some 30
// instructions per warp; where the GPU hands out CTAs in another way (most do, after the
// first wave) results are right and locality is lost.
#ifndef HEDDLE_CLUSTER_REDIRECTION_CUH
#define HEDDLE_CLUSTER_REDIRECTION_CUH

#include "orders.cuh"

namespace heddle {
namespace cluster {

template <class Order>
class Redirection {
 public:
  HEDDLE_CLUSTER_BOTH Redirection(dim3 grid, unsigned sms)
      : order_(grid), partition_(grid.x * grid.y * grid.z, sms), sms_(sms) {}
  // Every CTA does a CTA's work, but no SM is thought of.
  static HEDDLE_CLUSTER_BOTH Redirection unclustered(dim3 grid) { return Redirection(grid, 1); }

  HEDDLE_CLUSTER_BOTH uint3 cta(unsigned u) const {
    return order_.cta(partition_.cta(bind_round_robin(u, sms_)));
  }
  // The CTA whose work this one executes.
  __device__ __forceinline__ uint3 cta() const {
    return cta((::blockIdx.z * ::gridDim.y + ::blockIdx.y) * ::gridDim.x + ::blockIdx.x);
  }

  Order &order() { return order_; }

 private:
  Order order_;
  Partition partition_;
  Divisor sms_;
};

// Numbering: CTA u does the work of the CTA that the order numbers u. CTAs that run at the same time
// are neighbours in the order, whatever SMs they are on: what they share is in the L2. Tiles<1, 8> is
// what Triton calls groups of 8.
template <class Order>
class Numbering {
 public:
  explicit HEDDLE_CLUSTER_BOTH Numbering(dim3 grid) : order_(grid) {}
  static HEDDLE_CLUSTER_BOTH Numbering unclustered(dim3 grid) { return Numbering(grid); }

  __device__ __forceinline__ uint3 cta() const {
    return order_.cta((::blockIdx.z * ::gridDim.y + ::blockIdx.y) * ::gridDim.x + ::blockIdx.x);
  }

  Order &order() { return order_; }

 private:
  Order order_;
};

}  // namespace cluster
}  // namespace heddle

#endif
