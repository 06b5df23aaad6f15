// SPDX-License-Identifier: MIT
// Agents: persistent CTAs, as many as the GPU can hold, each of which determines its
// SM and executes CTAs of that SM's cluster, one after another.
//
// BY_STRIDE: agent a of n active ones executes the CTAs a, a + n, a + 2n ... of the
// cluster. No communication after the start, but agents of different speed drift apart,
// and with them the data that they use.
//
// BY_COUNTER: an agent claims each CTA when it is done with the last. Agents of an SM
// stay at neighbouring CTAs, and no SM is idle while another has CTAs left. This takes
// an atomic and a barrier per CTA. Where an SM has several L1 caches, each is a cluster.
//
// Every CTA runs exactly once for any distribution of agents over SMs: claims.cuh.
#ifndef HEDDLE_CLUSTER_AGENTS_CUH
#define HEDDLE_CLUSTER_AGENTS_CUH

#include "claims.cuh"
#include "orders.cuh"

namespace heddle {
namespace cluster {

// Agents<Order, Active, Claim>: how many of an SM's agents work, and how they divide the
// CTAs of its cluster among themselves.
enum : unsigned { ALL_AGENTS = 0, VOTED_AGENTS = ~0u };
enum : unsigned { BY_STRIDE, BY_COUNTER };

// In a kernel of which some threads return before a barrier that others wait at,
// __syncthreads() becomes this: threads that are done take part in it until all
// are done (see for_each_cta_with_returns).
__device__ __forceinline__ void barrier() { (void)__syncthreads_or(1); }

namespace detail {

struct NoPrefetch {
  __device__ __forceinline__ void operator()(uint3, dim3) const {}
};
template <class Ahead>
struct IsPrefetch {
  enum { VALUE = true };
};
template <>
struct IsPrefetch<NoPrefetch> {
  enum { VALUE = false };
};

// Between two CTAs of an agent.
struct Nothing {
  static __device__ __forceinline__ void between() {}
  static __device__ __forceinline__ void after_last() {}
};
struct Barrier {
  static __device__ __forceinline__ void between() { __syncthreads(); }
  static __device__ __forceinline__ void after_last() {}
};
// Also after the last: others may wait at a barrier of the body.
struct UntilAllReturn {
  static __device__ __forceinline__ void between() {
    while (__syncthreads_or(0)) continue;
  }
  static __device__ __forceinline__ void after_last() { between(); }
};

// A barrier that also separates CTAs, for a broadcast.
template <class Between>
struct Separation {
  typedef Between Type;
};
template <>
struct Separation<Nothing> {
  typedef Barrier Type;
};

}  // namespace detail

template <class Order, unsigned Active = ALL_AGENTS, unsigned Claim = BY_STRIDE>
class Agents {
 public:
  Agents(dim3 grid, unsigned threads, const Shape &shape)
      : order_(grid), partition_(grid.x * grid.y * grid.z, shape.sms * shape.l1_parts),
        shape_(shape), warps_((threads + 31) / 32) {}
  // A launch of the original grid, each CTA of which does the work of one.
  static HEDDLE_CLUSTER_BOTH Agents unclustered(dim3 grid) { return Agents(grid); }

  // Calls body(blockIdx, gridDim) for each CTA of this agent. All threads of it are
  // done with one CTA before any begins with the next, which may overwrite shared
  // memory.
  template <class Body>
  __device__ __forceinline__ void for_each_cta(const Body &body) const {
    walk<detail::Barrier>(body, detail::NoPrefetch());
  }
  // ahead(blockIdx, gridDim) is called for the next CTA before the work on one begins.
  template <class Body, class Ahead>
  __device__ __forceinline__ void for_each_cta(const Body &body, const Ahead &ahead) const {
    walk<detail::Barrier>(body, ahead);
  }

  // For kernels without shared memory: warps need not wait for one another.
  template <class Body>
  __device__ __forceinline__ void for_each_cta_unsynchronized(const Body &body) const {
    walk<detail::Nothing>(body, detail::NoPrefetch());
  }
  template <class Body, class Ahead>
  __device__ __forceinline__ void for_each_cta_unsynchronized(const Body &body,
                                                              const Ahead &ahead) const {
    walk<detail::Nothing>(body, ahead);
  }

  // For kernels in which some threads return before a barrier that others wait at: a
  // barrier counts exited threads as arrived, but these threads continue with the next
  // CTA. In the body, barrier() replaces __syncthreads().
  template <class Body>
  __device__ __forceinline__ void for_each_cta_with_returns(const Body &body) const {
    walk<detail::UntilAllReturn>(body, detail::NoPrefetch());
  }
  template <class Body, class Ahead>
  __device__ __forceinline__ void for_each_cta_with_returns(const Body &body,
                                                            const Ahead &ahead) const {
    walk<detail::UntilAllReturn>(body, ahead);
  }

  Order &order() { return order_; }

 private:
  template <unsigned Kind>
  struct By {};

  explicit HEDDLE_CLUSTER_BOTH Agents(dim3 grid)
      : order_(grid), partition_(0, 0), shape_(), warps_(1) {}

  template <class Between, class Body, class Ahead>
  __device__ __forceinline__ void walk(const Body &body, const Ahead &ahead) const {
    walk<Between>(body, ahead, By<Claim>());
  }

  template <class Body>
  __device__ __forceinline__ void execute(const Body &body, unsigned cta) const {
    Body task = body;  // a fresh copy of values captured for each CTA
    task(order_.cta(cta), order_.grid());
  }

  // ---- by stride. One loop, so that the body is there once and is inlined.

  template <class Between, class Body, class Ahead>
  __device__ __forceinline__ void walk(const Body &body, const Ahead &ahead, By<BY_STRIDE>) const {
    unsigned next, end, step;
    begin(next, end, step);
    while (next < end) {
      unsigned cta = next;
      next += step;
      if (next < end) ahead(order_.cta(next), order_.grid());
      execute(body, cta);
      if (next < end)
        Between::between();
      else
        Between::after_last();
    }
  }

  __device__ __forceinline__ void begin(unsigned &next, unsigned &end, unsigned &step) const {
    step = 1;
    if (shape_.sms == 0) {
      next = detail::launched_cta();
      end = next + 1;
      return;
    }
    detail::clear_other_half(shape_);
    detail::Place place = detail::claim_place(shape_, warps_);
    unsigned first = partition_.first(place.sm);
    next = first + place.number;
    end = place.number < shape_.active ? first + partition_.size(place.sm) : 0;
    step = shape_.active;
  }

  // ---- by counter. With a prefetch, a CTA is claimed one turn before it is executed.

  template <class Between, class Body, class Ahead>
  __device__ __forceinline__ void walk(const Body &body, const Ahead &ahead, By<BY_COUNTER>) const {
    enum { IS_AHEAD = detail::IsPrefetch<Ahead>::VALUE };
    unsigned cta = detail::NO_CTA;
    if (shape_.sms) detail::clear_other_half(shape_);
    for (unsigned turn = 0;; turn++) {
      unsigned claimed = claim<typename detail::Separation<Between>::Type>(turn);
      if (!IS_AHEAD) cta = claimed;
      if (IS_AHEAD && turn && claimed != detail::NO_CTA) ahead(order_.cta(claimed), order_.grid());
      if (cta != detail::NO_CTA) execute(body, cta);
      if (claimed == detail::NO_CTA) break;
      cta = claimed;
    }
  }

  template <class Between>
  __device__ __forceinline__ unsigned claim(unsigned turn) const {
    __shared__ detail::Counted state;
    if (shape_.sms == 0) {
      if (turn) Between::after_last();
      return turn ? (unsigned)detail::NO_CTA : detail::launched_cta();
    }
    return detail::Counter(shape_, warps_, partition_).template claim<Between>(state, turn);
  }

  Order order_;
  Partition partition_;
  Shape shape_;
  Divisor warps_;
};

}  // namespace cluster
}  // namespace heddle

#endif
