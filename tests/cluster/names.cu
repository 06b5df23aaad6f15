// SPDX-License-Identifier: MIT
// Kernels in namespaces and classes, names that the tool would use itself, and
// text that only looks like a launch: a<<<b>>>(c).
#include "check.h"

namespace outer {
namespace {
__global__ void set(int *agents, int redirection) { agents[blockIdx.x] = redirection; }  // set<<<
}
inline void run(int *values) { set<<<12, 1>>>(values, /* a comment, with (brackets */ 5); }
}  // namespace outer

class Filler {
 public:
  explicit Filler(int value) : value_(value) {}
  void run(int *values) const;

 private:
  int value_;
};

static __global__ void filler_kernel(int *values, int value)
{ values[blockIdx.x] += value; }

void Filler::run(int *values) const {
  if (values)
    filler_kernel<<<12, 1>>>(values, value_);
  else
    std::puts("filler_kernel<<<12, 1>>>(values, value_)");
}

extern "C" __global__ void plain_c(int *values) { values[blockIdx.x] *= 2; }

int main() {
  Array<int> values(12);
  outer::run(values);
  Filler(3).run(values);
  plain_c<<<12, 1>>>(values);
  for (int value : values.get()) CHECK(value == 16);
  return verdict();
}
