// SPDX-License-Identifier: MIT
// Dynamic parallelism: when a thread launches a kernel for its work, and where that
// kernel goes. A thread whose work exceeds a threshold launches a child; else, and where
// a launch is refused (too many are pending), it does the work itself:
//
//   if (dynamic.wants_child(work)) {
//     ChildStream stream(dynamic);
//     child<<<ctas, threads, 0, stream>>>(...);
//     if (cudaGetLastError() == cudaSuccess) return;
//   }
//   do_it_here(...);
#ifndef WORKLOADS_DYNAMIC_H
#define WORKLOADS_DYNAMIC_H

#include <climits>

#include "common/arguments.h"

// Passed to kernels by value.
struct Dynamic {
  int threshold;
  bool is_flat;        // nothing is launched from the device
  bool is_one_stream;  // children of a CTA run one after another
  __device__ bool wants_child(int work) const { return work > threshold && !is_flat; }
};

// Declares --threshold, --flat and --one-stream.
static inline Dynamic dynamic_options(Arguments *arguments, BySize threshold, const char *help) {
  Dynamic dynamic;
  dynamic.threshold = (int)arguments->number("threshold", threshold, 0, INT_MAX, help);
  dynamic.is_one_stream =
      arguments->flag("one-stream", "launch into the CTA's default stream, one after another");
  dynamic.is_flat = arguments->flag("flat", "no launches by kernels");
  return dynamic;
}

// Makes room for this many launches that have not begun. CUDA's own limit is 2048, and
// launches beyond it are refused.
static inline void dynamic_make_room(const Dynamic &dynamic, long long launches) {
  if (!dynamic.is_flat && launches > 2048)
    CUDA(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, (size_t)launches));
}

// A stream for one child, so that siblings may run side by side. It is given back at
// once; the runtime keeps it until the child has completed.
class ChildStream {
 public:
  __device__ explicit ChildStream(const Dynamic &dynamic) : stream_(NULL) {
    if (!dynamic.is_one_stream) cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
  }
  __device__ ~ChildStream() {
    if (stream_) cudaStreamDestroy(stream_);
  }
  ChildStream(const ChildStream &) = delete;
  ChildStream &operator=(const ChildStream &) = delete;

  __device__ operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_;
};

#endif
