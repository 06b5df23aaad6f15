// SPDX-License-Identifier: MIT
// Parameters that a kernel changes in other ways than by assigning to them: every
// CTA must find them as they were.
#include "check.h"

struct Pair {
  int x, y;
  __device__ void bump() { x += 5; }
};

struct Row {
  int values[4];
};

#define TWICE(x) (x) *= 2

struct Counter {
  int i;
  __device__ Counter &operator++() {
    ++i;
    return *this;
  }
};

__device__ void add_by_reference(int &value) { value += 3; }
__device__ void add_by_pointer(int *value) { *value += 4; }
template <class T>
__device__ void exchange(T &a, T &b) {
  T kept = a;
  a = b;
  b = kept;
}

__global__ void by_reference(int *out, int n) {
  add_by_reference(n);
  out[blockIdx.x] += n;
}
__global__ void by_pointer(int *out, int n) {
  add_by_pointer(&n);
  out[blockIdx.x] += n;
}
__global__ void by_method(int *out, Pair pair) {
  pair.bump();
  out[blockIdx.x] += pair.x;
}
__global__ void by_exchange(int *out, int a, int b) {
  exchange(a, b);
  out[blockIdx.x] += a * 10 + b;
}
__global__ void by_operator(int *out, Counter counter) {
  ++counter;
  out[blockIdx.x] += counter.i;
}
__global__ void by_alias(int *out, int n, Pair pair) {
  int &alias = n, *pointer = &pair.y;
  alias *= 2;
  *pointer += 1;
  out[blockIdx.x] += n + pair.y;
}
__global__ void by_lambda(int *out, Pair pair) {
  auto change = [&]() { pair.x += 2; };
  change();
  out[blockIdx.x] += pair.x;
}
__global__ void by_member(int *out, Pair pair) {
  add_by_reference(pair.x);
  out[blockIdx.x] += pair.x;
}
__global__ void by_element(int *out, Row row) {
  int *pointer = row.values;
  pointer[1] += 1;
  for (auto &value : row.values) value += 1;
  exchange(row.values[0], row.values[1]);
  out[blockIdx.x] += row.values[0];
}
__global__ void by_macro(int *out, int n) {
  TWICE(n);
  out[blockIdx.x] += n;
}
__global__ void by_choice(int *out, int a, int b) {
  (blockIdx.x % 2 ? a : b) += 1;
  out[blockIdx.x] += a + b;
}
__global__ void by_ptx(int *out, int n) {
  asm("add.s32 %0, %0, 1;" : "+r"(n));
  out[blockIdx.x] += n;
}
template <class... Numbers>
__global__ void by_pack(int *out, Numbers... numbers) {
  int total = 0;
  int done[] = {(numbers += 1, total += numbers, 0)...};
  (void)done;
  out[blockIdx.x] += total;
}

int main() {
  const int ctas = 2000;  // several for each agent
  Array<int> out(ctas);
  by_reference<<<ctas, 1>>>(out, 1);
  by_pointer<<<ctas, 1>>>(out, 1);
  by_method<<<ctas, 1>>>(out, Pair{1, 2});
  by_exchange<<<ctas, 1>>>(out, 1, 2);
  by_operator<<<ctas, 1>>>(out, Counter{1});
  by_alias<<<ctas, 1>>>(out, 5, Pair{1, 2});
  by_lambda<<<ctas, 1>>>(out, Pair{1, 2});
  by_member<<<ctas, 1>>>(out, Pair{1, 2});
  by_element<<<ctas, 1>>>(out, Row{{1, 2, 3, 4}});
  by_macro<<<ctas, 1>>>(out, 5);
  by_choice<<<ctas, 1>>>(out, 1, 2);
  by_ptx<<<ctas, 1>>>(out, 7);
  by_pack<<<ctas, 1>>>((int *)out, 1, 2, 3);
  for (int value : out.get()) CHECK(value == 4 + 5 + 6 + 21 + 2 + 13 + 3 + 9 + 4 + 4 + 10 + 4 + 8);
  return verdict();
}

#undef TWICE
