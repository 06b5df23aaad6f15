// SPDX-License-Identifier: MIT
// How CTAs are divided among clusters, one cluster per SM.
#ifndef HEDDLE_CLUSTER_PARTITION_CUH
#define HEDDLE_CLUSTER_PARTITION_CUH

#include <cuda_runtime.h>

#define HEDDLE_CLUSTER_BOTH __host__ __device__ __forceinline__

namespace heddle {
namespace cluster {

// n / d for n below 2^31, by a multiplication and a shift: an integer division
// costs a GPU about twenty instructions.
class Divisor {
 public:
  HEDDLE_CLUSTER_BOTH explicit Divisor(unsigned divisor) : divisor_(divisor), shift_(0) {
    while (shift_ < 31 && (1u << shift_) < divisor) shift_++;
    unsigned long long excess = divisor ? (1ull << shift_) - divisor : 0;
    multiplier_ = divisor ? (unsigned)((excess << 32) / divisor + 1) : 0;
  }
  HEDDLE_CLUSTER_BOTH unsigned quotient(unsigned n) const {
#ifdef __CUDA_ARCH__
    return (__umulhi(n, multiplier_) + n) >> shift_;
#else
    return ((unsigned)((unsigned long long)n * multiplier_ >> 32) + n) >> shift_;
#endif
  }
  HEDDLE_CLUSTER_BOTH unsigned value() const { return divisor_; }

 private:
  unsigned divisor_, multiplier_, shift_;
};

// The paper's (w, i): the CTA is number w of cluster i.
struct Position {
  unsigned w, i;
};

// |V| CTAs in M clusters of consecutive numbers. The first |V| % M clusters hold
// one CTA more than the others. (Equations 3 to 7; equation 4's condition as
// printed, v % M <= |V| % M, does not give a partition.)
class Partition {
 public:
  HEDDLE_CLUSTER_BOTH Partition(unsigned ctas, unsigned clusters)
      : small_(clusters ? ctas / clusters : 0), large_count_(clusters ? ctas % clusters : 0) {}

  HEDDLE_CLUSTER_BOTH unsigned size(unsigned i) const { return small_ + (i < large_count_); }
  HEDDLE_CLUSTER_BOTH unsigned first(unsigned i) const {
    return i * small_ + (i < large_count_ ? i : large_count_);
  }
  // f
  HEDDLE_CLUSTER_BOTH Position position(unsigned v) const {
    unsigned in_large = large_count_ * (small_ + 1);
    Position position;
    if (v < in_large) {
      position.w = v % (small_ + 1);
      position.i = v / (small_ + 1);
    } else {
      position.w = (v - in_large) % small_;
      position.i = large_count_ + (v - in_large) / small_;
    }
    return position;
  }
  // The inverse of f.
  HEDDLE_CLUSTER_BOTH unsigned cta(Position position) const {
    return first(position.i) + position.w;
  }

 private:
  unsigned small_, large_count_;
};

// g, for a GPU that hands out CTAs to M SMs in turn: CTA u of the new kernel
// finds itself on SM u % M, as its CTA number u / M (equation 8).
HEDDLE_CLUSTER_BOTH Position bind_round_robin(unsigned u, const Divisor &sms) {
  Position position;
  position.w = sms.quotient(u);
  position.i = u - position.w * sms.value();
  return position;
}

}  // namespace cluster
}  // namespace heddle

#endif
