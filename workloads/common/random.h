// SPDX-License-Identifier: MIT
// The one generator of random numbers: splitmix64 (Steele, Lea and Flood,
// "Fast splittable pseudorandom number generators", OOPSLA 2014). The same
// seed gives the same numbers everywhere.
#ifndef WORKLOADS_RANDOM_H
#define WORKLOADS_RANDOM_H

#include <cstdint>
#include <vector>

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0xd1342543de82ef95u + 0x9e3779b97f4a7c15u) {}

  uint64_t bits() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // 0 to n - 1.
  uint32_t below(uint32_t n) { return (uint32_t)((bits() >> 32) * n >> 32); }
  // From low up to, not including, high.
  float uniform(float low, float high) {
    return low + (high - low) * (float)(bits() >> 40) * (1.0f / (1 << 24));
  }
  std::vector<float> floats(size_t count, float low, float high) {
    std::vector<float> values(count);
    for (float &value : values) value = uniform(low, high);
    return values;
  }
  std::vector<int> integers(size_t count, int low, int high) {
    std::vector<int> values(count);
    for (int &value : values) value = low + (int)below((uint32_t)(high - low));
    return values;
  }

 private:
  uint64_t state_;
};

#endif
