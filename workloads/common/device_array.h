// SPDX-License-Identifier: MIT
// An array in device memory that frees itself. Filled from a host's vector,
// or with zeros.
#ifndef WORKLOADS_DEVICE_ARRAY_H
#define WORKLOADS_DEVICE_ARRAY_H

#include <vector>

#include "common/fail.h"

template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : count_(count) {
    CUDA(cudaMalloc(&data_, bytes()));
    CUDA(cudaMemset(data_, 0, bytes()));
  }
  explicit DeviceArray(const std::vector<T> &values) : count_(values.size()) {
    CUDA(cudaMalloc(&data_, bytes()));
    set(values);
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;

  // For kernels: a DeviceArray stands for its pointer.
  operator T *() const { return data_; }
  size_t count() const { return count_; }

  // As many values as there are in the array, at most.
  void set(const std::vector<T> &values) {
    if (values.size() > count_) fail(EXIT_WRONG, "%zu values for %zu", values.size(), count_);
    CUDA(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  std::vector<T> get() const {
    std::vector<T> values(count_);
    CUDA(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  // CUDA has no arrays of nothing.
  size_t bytes() const { return (count_ ? count_ : 1) * sizeof(T); }

  size_t count_;
  T *data_ = NULL;
};

// How many CTAs of `threads` cover n.
static inline unsigned ctas_for(long long n, unsigned threads) {
  return (unsigned)((n + threads - 1) / threads);
}

#endif
