// SPDX-License-Identifier: MIT
// What agents claim: a place on an SM, and CTAs of its cluster.
//
// Place: every SM has the same number of them, as many in all as there are agents. An
// agent claims one of its own SM, and one of another if these are taken, so every place
// is claimed exactly once, for any distribution of agents over SMs. Its number is the
// CTA's warp slot on Fermi and Kepler, where a CTA keeps its warp slots, and the number
// of earlier agents on later GPUs. Either is claimed with an atomic, once per agent. With
// -DHEDDLE_CLUSTER_TRUST_SLOTS Fermi and Kepler need no atomic, as in the paper: correct
// only if nothing else runs on the GPU and every SM holds as many CTAs as the occupancy
// calculator predicts.
//
// CTA: the next one of the agent's cluster, from a counter, with one atomic by one lane.
// When its cluster is exhausted, an agent continues with the next cluster that has CTAs
// left, and exits when none has. A counter hands out each number once, and the agent of
// CTA 0, which always works, exits last or later than the last claim: every CTA of the
// original grid runs exactly once, wherever the agents are.
#ifndef HEDDLE_CLUSTER_CLAIMS_CUH
#define HEDDLE_CLUSTER_CLAIMS_CUH

#include "partition.cuh"
#include "threads.cuh"

namespace heddle {
namespace cluster {

enum {
  MAX_AGENTS = 32,      // per SM
  MAX_CLUSTERS = 256,   // a GPU with more SMs is not clustered
  MAX_WORKSPACES = 256  // pairs of a kernel and a stream that it is launched in
};

// How a launch is clustered: on `sms` SMs with `agents` places each, of which `active`
// have work.
struct Shape {
  unsigned sms, agents, active;
  unsigned l1_parts;         // of an SM, each with a cluster of its own; 1 by stride
  bool has_fixed_slots;      // Fermi and Kepler
  unsigned workspace, half;  // for claims
};

// A launch uses one of the two halves of a workspace and clears the other for the
// kernel's next launch in its stream; launch.cuh hands out workspaces.
struct Claims {
  unsigned places[MAX_CLUSTERS];  // by SM: number of claimed places, or bits of them
  unsigned ctas[MAX_CLUSTERS];    // by cluster: number of claimed CTAs, and of failed claims
};
static __device__ Claims workspaces[MAX_WORKSPACES][2];

namespace detail {

__device__ __forceinline__ Claims &claims_of(const Shape &shape) {
  return workspaces[shape.workspace][shape.half];
}

__device__ __forceinline__ void clear_other_half(const Shape &shape) {
  if (cta_x() != 0) return;
  Claims &other = workspaces[shape.workspace][1 - shape.half];
  for (unsigned i = thread_number(); i < shape.sms * shape.l1_parts; i += thread_count())
    other.places[i] = other.ctas[i] = 0;
}

// ---- places

enum { NO_PLACE = MAX_AGENTS };
struct Place {
  unsigned sm, number;
};

// All warps know their slot; the first thread checks whether it is free.
__device__ __forceinline__ unsigned claim_slot(const Shape &shape, const Divisor &warps,
                                               unsigned sm) {
  unsigned number = warps.quotient(warp_slot());
  if (sm >= shape.sms || number >= shape.agents) return NO_PLACE;
#ifdef HEDDLE_CLUSTER_TRUST_SLOTS
  return number;
#else
  unsigned bit = 1u << number, is_taken = 0;
  if (is_first_thread())
    is_taken = (atomicOr(&claims_of(shape).places[sm], bit) & bit) != 0;
  return __syncthreads_or((int)is_taken) ? (unsigned)NO_PLACE : number;
#endif
}

__device__ __forceinline__ unsigned claim_count(const Shape &shape, unsigned sm) {
  unsigned number = NO_PLACE;
  if (is_first_thread() && sm < shape.sms)
    number = atomicAdd(&claims_of(shape).places[sm], 1);
  return broadcast(number < NO_PLACE ? number : NO_PLACE);
}

__device__ __forceinline__ unsigned claim_free_slot(const Shape &shape, unsigned sm) {
  unsigned all = shape.agents < 32 ? (1u << shape.agents) - 1 : ~0u, taken = 0;
  while ((taken & all) != all) {
    unsigned number = (unsigned)__ffs((int)(~taken & all)) - 1;
    taken = atomicOr(&claims_of(shape).places[sm], 1u << number);
    if (!(taken >> number & 1)) return number;
  }
  return NO_PLACE;
}

// There is a free place: as many agents as places were launched, and none has two.
__device__ __forceinline__ Place claim_elsewhere(const Shape &shape) {
  Place place = {0, NO_PLACE};
  if (is_first_thread()) {
    while (place.number >= shape.agents && place.sm < shape.sms) {
      place.number = shape.has_fixed_slots ? claim_free_slot(shape, place.sm)
                                           : atomicAdd(&claims_of(shape).places[place.sm], 1);
      if (place.number >= shape.agents) place.sm++;
    }
  }
  place.number = broadcast(place.number < NO_PLACE ? place.number : NO_PLACE);
  place.sm = broadcast(place.sm / 32) * 32 + broadcast(place.sm % 32);
  return place;
}

__device__ __forceinline__ Place claim_place(const Shape &shape, const Divisor &warps) {
  Place place;
  place.sm = sm_id();
  place.number =
      shape.has_fixed_slots ? claim_slot(shape, warps, place.sm) : claim_count(shape, place.sm);
  return place.number < shape.agents ? place : claim_elsewhere(shape);
}

// ---- CTAs

enum : unsigned {
  NO_CTA = ~0u,  // left
  LOOK_ON = ~1u  // in another cluster
};

// What an agent remembers between two CTAs. In shared memory, so that it takes no registers
// from the kernel.
struct Counted {
  unsigned next[2];  // by turn modulo 2: the first thread may be a turn ahead of others
  unsigned offset;   // of the cluster that the agent works on, from its own
  unsigned found;    // the next offset with CTAs left
};

// The functions are called by all threads of an agent.
class Counter {
 public:
  __device__ __forceinline__ Counter(const Shape &shape, const Divisor &warps,
                                     const Partition &partition)
      : shape_(shape), warps_(warps), partition_(partition) {}

  // Claims a CTA. turn: 0, 1, 2 ... Between: a barrier that separates CTAs.
  template <class Between>
  __device__ __forceinline__ unsigned claim(Counted &state, unsigned turn) const {
    unsigned &next = state.next[turn % 2];
    if (is_first_thread()) next = take(state, turn ? state.offset : first_offset());
    Between::between();
    while (next == LOOK_ON) {
      look_on(state);
      __syncthreads();
      if (is_first_thread()) next = take(state, state.found);
      __syncthreads();
    }
    return next;
  }

 private:
  __device__ __forceinline__ unsigned clusters() const { return shape_.sms * shape_.l1_parts; }

  // The CTA slot of an agent is its turn among those that the GPU hands out to its SM;
  // parts of the L1 serve alternate slots.
  __device__ __forceinline__ unsigned cluster_at(unsigned offset) const {
    unsigned cluster = sm_id();
    if (shape_.l1_parts == 2) cluster = cluster * 2 + (cta_x() / shape_.sms & 1);
    if (cluster >= clusters()) cluster = 0;
    cluster += offset;
    return cluster < clusters() ? cluster : cluster - clusters();
  }

  // Throttled agents exit at once, but one must stay.
  __device__ __forceinline__ unsigned first_offset() const {
    if (shape_.active >= shape_.agents || cta_x() == 0) return 0;
    unsigned sm = sm_id(), number = MAX_AGENTS;
    if (shape_.has_fixed_slots)
      number = warps_.quotient(warp_slot());
    else if (sm < shape_.sms)
      number = atomicAdd(&claims_of(shape_).places[sm], 1);
    return number < shape_.active ? 0 : clusters();
  }

  __device__ __forceinline__ unsigned take(Counted &state, unsigned offset) const {
    state.offset = offset;
    state.found = clusters();
    if (offset >= clusters()) return NO_CTA;
    unsigned cluster = cluster_at(offset);
    unsigned number = atomicAdd(&claims_of(shape_).ctas[cluster], 1);
    return number < partition_.size(cluster) ? partition_.first(cluster) + number : LOOK_ON;
  }

  // A thread per cluster. A count may have grown since it was read, but never falls: an
  // exhausted cluster stays exhausted.
  __device__ __forceinline__ void look_on(Counted &state) const {
    unsigned offset = state.offset + 1 + thread_number(), step = thread_count();
    for (; offset < clusters(); offset += step) {
      unsigned cluster = cluster_at(offset);
      unsigned count = *(volatile unsigned *)&claims_of(shape_).ctas[cluster];
      if (count < partition_.size(cluster)) {
        atomicMin(&state.found, offset);
        break;
      }
    }
  }

  const Shape &shape_;
  const Divisor &warps_;
  const Partition &partition_;
};

}  // namespace detail
}  // namespace cluster
}  // namespace heddle

#endif
