// SPDX-License-Identifier: MIT
// Agents: persistent CTAs, as many as the GPU can hold, each of which determines its
// SM and executes the CTAs of that SM's cluster, one after another.
//
// Every SM has the same number of slots for agents. An agent claims one of its own
// SM; with slot a of n active ones it executes the CTAs a, a + n, a + 2n ... of the
// cluster. There are exactly as many agents as slots, and an agent that finds all
// slots of its SM taken claims one of another SM. Every slot is thus claimed once and
// every CTA runs once, for any distribution of agents: if an SM gets fewer of them
// than expected, others do its work.
//
// The number of a slot is the CTA's warp slot on Fermi and Kepler, where a CTA keeps
// its warp slots, and the number of earlier agents on later GPUs. Either is claimed
// with an atomic, once per agent. With -DHEDDLE_CLUSTER_TRUST_SLOTS Fermi and Kepler
// need no atomic, as in the paper: correct only if nothing else runs on the GPU and
// every SM holds as many CTAs as the occupancy calculator predicts.
#ifndef HEDDLE_CLUSTER_AGENTS_CUH
#define HEDDLE_CLUSTER_AGENTS_CUH

#include "orders.cuh"

namespace heddle {
namespace cluster {

enum {
  MAX_AGENTS = 32,      // per SM
  MAX_SMS = 256,        // a GPU with more is not clustered
  MAX_WORKSPACES = 256  // pairs of a kernel and a stream that it is launched in
};

// Agents<Order, Active>: how many of an SM's agents work.
enum : unsigned { ALL_AGENTS = 0, VOTED_AGENTS = ~0u };

// Claims, by workspace and SM. A launch uses one of the two halves and clears the
// other for the kernel's next launch in its stream; launch.cuh hands out workspaces.
static __device__ unsigned workspaces[MAX_WORKSPACES][2][MAX_SMS];

// In a kernel of which some threads return before a barrier that others wait at,
// __syncthreads() becomes this: threads that are done take part in it until all
// are done (see for_each_cta_with_returns).
__device__ __forceinline__ void barrier() { (void)__syncthreads_or(1); }

namespace detail {

__device__ __forceinline__ unsigned sm_id() {
  unsigned id;
  asm("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

__device__ __forceinline__ unsigned warp_slot() {
  unsigned id;
  asm("mov.u32 %0, %%warpid;" : "=r"(id));
  return id;
}

__device__ __forceinline__ unsigned thread_number() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ unsigned thread_count() {
  return blockDim.x * blockDim.y * blockDim.z;
}

// The first lane's value, in the first warp of a CTA.
__device__ __forceinline__ unsigned first_lane(unsigned value) {
#if CUDART_VERSION >= 9000
  unsigned threads = thread_count(), mask = threads < 32 ? (1u << threads) - 1 : ~0u;
  return __shfl_sync(mask, value, 0);
#else  // Fermi has no shuffle
  unsigned result = 0;
  for (int bit = 0; bit < 6; bit++)
    result |= (__ballot(thread_number() == 0 && (value >> bit & 1)) != 0) << bit;
  return result;
#endif
}

// The first thread's value, which is at most 32, in all threads of the CTA. It
// goes through no shared memory, which could cost the SM a CTA.
__device__ __forceinline__ unsigned broadcast(unsigned value) {
  unsigned thread = thread_number();
  if (thread < 32) value = first_lane(value);
  if (thread_count() <= 32) return value;
  return (unsigned)__syncthreads_count(thread < 32 && thread < value);
}

struct NoPrefetch {
  __device__ __forceinline__ void operator()(uint3, dim3) const {}
};

}  // namespace detail

template <class Order, unsigned Active = ALL_AGENTS>
class Agents {
 public:
  // How a launch is clustered: on `sms` SMs with `agents` places each, of which
  // `active` have work.
  struct Shape {
    unsigned sms, agents, active;
    bool has_fixed_slots;      // Fermi and Kepler
    unsigned workspace, half;  // for claims
  };
  Agents(dim3 grid, unsigned threads, const Shape &shape)
      : order_(grid), partition_(grid.x * grid.y * grid.z, shape.sms), shape_(shape),
        warps_((threads + 31) / 32) {}
  // A launch of the original grid, each CTA of which does the work of one.
  static HEDDLE_CLUSTER_BOTH Agents unclustered(dim3 grid) { return Agents(grid); }

  // Calls body(blockIdx, gridDim) for each CTA of this agent. All threads of it are
  // done with one CTA before any begins with the next, which may overwrite shared
  // memory.
  template <class Body>
  __device__ __forceinline__ void for_each_cta(const Body &body) const {
    walk<Barrier>(body, detail::NoPrefetch());
  }
  // ahead(blockIdx, gridDim) is called for the next CTA before the work on one begins.
  template <class Body, class Ahead>
  __device__ __forceinline__ void for_each_cta(const Body &body, const Ahead &ahead) const {
    walk<Barrier>(body, ahead);
  }

  // For kernels without shared memory: warps need not wait for one another.
  template <class Body>
  __device__ __forceinline__ void for_each_cta_unsynchronized(const Body &body) const {
    walk<Nothing>(body, detail::NoPrefetch());
  }
  template <class Body, class Ahead>
  __device__ __forceinline__ void for_each_cta_unsynchronized(const Body &body,
                                                              const Ahead &ahead) const {
    walk<Nothing>(body, ahead);
  }

  // For kernels in which some threads return before a barrier that others wait at: a
  // barrier counts exited threads as arrived, but these threads continue with the next
  // CTA. In the body, barrier() replaces __syncthreads().
  template <class Body>
  __device__ __forceinline__ void for_each_cta_with_returns(const Body &body) const {
    walk<UntilAllReturn>(body, detail::NoPrefetch());
  }
  template <class Body, class Ahead>
  __device__ __forceinline__ void for_each_cta_with_returns(const Body &body,
                                                            const Ahead &ahead) const {
    walk<UntilAllReturn>(body, ahead);
  }

  Order &order() { return order_; }

 private:
  enum { NO_PLACE = MAX_AGENTS };
  struct Place {
    unsigned sm, number;
  };

  // Between two CTAs of an agent.
  struct Nothing {
    static __device__ __forceinline__ void between(bool) {}
  };
  struct Barrier {
    static __device__ __forceinline__ void between(bool is_last) {
      if (!is_last) __syncthreads();
    }
  };
  // Also after the last: others may wait at a barrier of the body.
  struct UntilAllReturn {
    static __device__ __forceinline__ void between(bool) {
      while (__syncthreads_or(0)) continue;
    }
  };

  explicit HEDDLE_CLUSTER_BOTH Agents(dim3 grid)
      : order_(grid), partition_(0, 0), shape_(), warps_(1) {}

  // One loop, so that the body is there once and is inlined.
  template <class Between, class Body, class Ahead>
  __device__ __forceinline__ void walk(const Body &body, const Ahead &ahead) const {
    unsigned next, end, step;
    begin(next, end, step);
    while (next < end) {
      uint3 cta = order_.cta(next);
      next += step;
      if (next < end) ahead(order_.cta(next), order_.grid());
      Body task = body;  // a fresh copy of values captured for each CTA
      task(cta, order_.grid());
      Between::between(next >= end);
    }
  }

  __device__ __forceinline__ void begin(unsigned &next, unsigned &end, unsigned &step) const {
    step = 1;
    if (shape_.sms == 0) {
      next = (::blockIdx.z * ::gridDim.y + ::blockIdx.y) * ::gridDim.x + ::blockIdx.x;
      end = next + 1;
      return;
    }
    clear_other_half();
    Place place = claim();
    unsigned first = partition_.first(place.sm);
    next = first + place.number;
    end = place.number < shape_.active ? first + partition_.size(place.sm) : 0;
    step = shape_.active;
  }

  __device__ __forceinline__ unsigned *claims() const {
    return workspaces[shape_.workspace][shape_.half];
  }
  __device__ __forceinline__ void clear_other_half() const {
    if (::blockIdx.x != 0) return;
    for (unsigned i = detail::thread_number(); i < shape_.sms; i += detail::thread_count())
      workspaces[shape_.workspace][1 - shape_.half][i] = 0;
  }

  __device__ __forceinline__ Place claim() const {
    Place place;
    place.sm = detail::sm_id();
    place.number = shape_.has_fixed_slots ? claim_slot(place.sm) : claim_count(place.sm);
    return place.number < shape_.agents ? place : claim_elsewhere();
  }

  // All warps know their slot; the first thread checks whether it is free.
  __device__ __forceinline__ unsigned claim_slot(unsigned sm) const {
    unsigned number = warps_.quotient(detail::warp_slot());
    if (sm >= shape_.sms || number >= shape_.agents) return NO_PLACE;
#ifdef HEDDLE_CLUSTER_TRUST_SLOTS
    return number;
#else
    unsigned bit = 1u << number, is_taken = 0;
    if (detail::thread_number() == 0) is_taken = (atomicOr(&claims()[sm], bit) & bit) != 0;
    return __syncthreads_or((int)is_taken) ? (unsigned)NO_PLACE : number;
#endif
  }

  __device__ __forceinline__ unsigned claim_count(unsigned sm) const {
    unsigned number = NO_PLACE;
    if (detail::thread_number() == 0 && sm < shape_.sms) number = atomicAdd(&claims()[sm], 1);
    return detail::broadcast(number < NO_PLACE ? number : NO_PLACE);
  }

  // There is a free place: as many agents as places were launched, and none has two.
  __device__ __forceinline__ Place claim_elsewhere() const {
    Place place = {0, NO_PLACE};
    if (detail::thread_number() == 0) {
      while (place.number >= shape_.agents && place.sm < shape_.sms) {
        place.number = shape_.has_fixed_slots ? claim_free_slot(place.sm)
                                              : atomicAdd(&claims()[place.sm], 1);
        if (place.number >= shape_.agents) place.sm++;
      }
    }
    place.number = detail::broadcast(place.number < NO_PLACE ? place.number : NO_PLACE);
    place.sm = detail::broadcast(place.sm / 32) * 32 + detail::broadcast(place.sm % 32);
    return place;
  }

  __device__ __forceinline__ unsigned claim_free_slot(unsigned sm) const {
    unsigned all = shape_.agents < 32 ? (1u << shape_.agents) - 1 : ~0u, taken = 0;
    while ((taken & all) != all) {
      unsigned number = (unsigned)__ffs((int)(~taken & all)) - 1;
      taken = atomicOr(&claims()[sm], 1u << number);
      if (!(taken >> number & 1)) return number;
    }
    return NO_PLACE;
  }

  Order order_;
  Partition partition_;
  Shape shape_;
  Divisor warps_;
};

}  // namespace cluster
}  // namespace heddle

#endif
