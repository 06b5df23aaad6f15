// SPDX-License-Identifier: MIT
// Lambdas, local structures, loops with breaks, a switch, a goto.
#include "check.h"

template <typename F>
__device__ int apply(F f, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += f(i);
  return sum;
}

__global__ void mixed(int *out, int n) {
  struct Pair {
    int a, b;
    __device__ int sum() const { return a + b; }
  };
  auto place = [&](int i) { return (int)(blockIdx.x * blockDim.x) + i; };
  int at = place(threadIdx.x);
  if (at >= n) return;
  Pair pair = {at, 1};
  int sum = apply([=](int i) { return i * (int)blockIdx.x; }, 4);
  switch (at % 3) {
    case 0: sum += pair.sum(); break;
    case 1:
      for (int i = 0;; i++) {
        if (i == 5) break;
        if (i % 2) continue;
        sum += i;
      }
      break;
    default: goto end;
  }
  sum *= 2;
end:
  out[at] += sum;
}

int main() {
  const int n = 777;
  Array<int> out(n);
  mixed<<<(n + 31) / 32, 32>>>(out, n);
  std::vector<int> result = out.get();
  for (int i = 0; i < n; i++) {
    int sum = 6 * (i / 32);
    if (i % 3 == 0) sum = 2 * (sum + i + 1);
    if (i % 3 == 1) sum = 2 * (sum + 6);
    CHECK(result[i] == sum);
  }
  return verdict();
}
