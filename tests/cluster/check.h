// SPDX-License-Identifier: MIT
// What the programs here share: they compare each result with one computed on
// the host and end with PASSED.
#ifndef TESTS_CLUSTER_CHECK_H
#define TESTS_CLUSTER_CHECK_H

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

static int failures;

#define CHECK(condition)                                                     \
  do {                                                                       \
    if (!(condition)) {                                                      \
      std::printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      failures++;                                                            \
    }                                                                        \
  } while (0)

#define CUDA(call) CHECK((call) == cudaSuccess)

// Device memory that holds `count` elements, filled with a value or a copy.
template <class T>
class Array {
 public:
  explicit Array(size_t count, T value = T()) : count_(count) {
    set(std::vector<T>(count, value));
  }
  explicit Array(const std::vector<T> &values) : count_(values.size()) { set(values); }
  ~Array() { cudaFree(data_); }
  Array(const Array &) = delete;
  operator T *() { return data_; }
  std::vector<T> get() const {
    std::vector<T> values(count_);
    CUDA(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  void set(const std::vector<T> &values) {
    CUDA(cudaMalloc((void **)&data_, (count_ ? count_ : 1) * sizeof(T)));
    CUDA(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  size_t count_;
  T *data_ = nullptr;
};

static inline std::vector<int> numbers(size_t count, int first = 0, int step = 1) {
  std::vector<int> values(count);
  for (size_t i = 0; i < count; i++) values[i] = first + (int)i * step;
  return values;
}

static inline int verdict() {
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaGetLastError());
  std::puts(failures ? "FAILED" : "PASSED");
  return failures != 0;
}

#endif
