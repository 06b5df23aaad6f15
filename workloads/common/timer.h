// SPDX-License-Identifier: MIT
// Time on the device, by events: from its making to the call of stop(), which
// also waits for the kernels and says whether they went well.
#ifndef WORKLOADS_TIMER_H
#define WORKLOADS_TIMER_H

#include "common/fail.h"

class Timer {
 public:
  Timer() {
    CUDA(cudaEventCreate(&start_));
    CUDA(cudaEventCreate(&stop_));
    CUDA(cudaEventRecord(start_));
  }
  ~Timer() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  Timer(const Timer &) = delete;
  Timer &operator=(const Timer &) = delete;

  // Prints the milliseconds since the beginning.
  void stop(const char *what) {
    float milliseconds;
    CUDA(cudaGetLastError());
    CUDA(cudaEventRecord(stop_));
    CUDA(cudaEventSynchronize(stop_));
    CUDA(cudaEventElapsedTime(&milliseconds, start_, stop_));
    printf("%s: %.3f ms\n", what, milliseconds);
  }

 private:
  cudaEvent_t start_, stop_;
};

#endif
