// SPDX-License-Identifier: MIT
// How many agents per SM should work, found out by trying.
//
// The first launches of a kernel with a grid and a block use all agents, then
// half of them, a quarter ... and one; later launches use what took least time.
// A launch that was tried is waited for before the next one of the same kind.
#ifndef HEDDLE_CLUSTER_VOTING_CUH
#define HEDDLE_CLUSTER_VOTING_CUH

#include <cuda_runtime.h>

#include <vector>

namespace heddle {
namespace cluster {
namespace detail {

class Vote {
 public:
  struct Subject {
    const void *kernel;
    int device;
    dim3 grid, block;
    size_t shared_bytes;
  };
  Vote(const Subject &subject, unsigned agents) : subject_(subject), best_(agents) {
    tried_[count_++] = agents;  // the first is only for warming up
    for (unsigned n = agents; n; n /= 2) tried_[count_++] = n;
  }

  bool is_on(const Subject &other) const {
    return subject_.kernel == other.kernel && subject_.device == other.device &&
           is_same(subject_.grid, other.grid) && is_same(subject_.block, other.block) &&
           subject_.shared_bytes == other.shared_bytes;
  }

  // How many agents the next launch should use.
  unsigned active() {
    count_last();
    return next_ < count_ ? tried_[next_] : best_;
  }

  void before_launch(cudaStream_t stream) {
    is_measured_ = next_ < count_ && cudaEventCreate(&start_) == cudaSuccess;
    if (is_measured_ && cudaEventCreate(&stop_) != cudaSuccess) {
      cudaEventDestroy(start_);
      is_measured_ = false;
    }
    if (is_measured_) cudaEventRecord(start_, stream);
  }

  void after_launch(cudaStream_t stream) {
    if (is_measured_) cudaEventRecord(stop_, stream);
  }

 private:
  static bool is_same(dim3 a, dim3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

  void count_last() {
    if (!is_measured_) return;
    float time = 0;
    bool is_timed = cudaEventSynchronize(stop_) == cudaSuccess &&
                    cudaEventElapsedTime(&time, start_, stop_) == cudaSuccess;
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
    is_measured_ = false;
    if (is_timed && next_ > 0 && (next_ == 1 || time < best_time_)) {
      best_time_ = time;
      best_ = tried_[next_];
    }
    next_++;
  }

  Subject subject_;
  unsigned tried_[8], count_ = 0, next_ = 0, best_;
  float best_time_ = 0;
  bool is_measured_ = false;
  cudaEvent_t start_, stop_;
};

// The vote on a subject, which is begun if there is none.
inline Vote &vote_on(const Vote::Subject &subject, unsigned agents) {
  static std::vector<Vote *> votes;  // they stay to the end of the program
  for (size_t i = 0; i < votes.size(); i++)
    if (votes[i]->is_on(subject)) return *votes[i];
  votes.push_back(new Vote(subject, agents));
  return *votes.back();
}

}  // namespace detail
}  // namespace cluster
}  // namespace heddle

#endif
