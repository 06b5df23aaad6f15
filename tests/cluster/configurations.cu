// SPDX-License-Identifier: MIT
// Launch configurations with shifts, comparisons, template brackets and side effects.
#include "check.h"

template <bool POSITIVE, int N>
__global__ void shift_by(int *a) {
  a[blockIdx.x] += POSITIVE ? N : -N;
}

template <class T>
struct Boxed {
  T value;
};

template <class T>
__global__ void add_boxed(T box, int *a) {
  a[blockIdx.x] += box.value;
}

static int calls;
static int counted(int value) {
  calls++;
  return value;
}

int main() {
  Array<int> a(64);
  int n = 64 * 32, limit = 3;
  shift_by<(4 > 3), (8 >> 2)><<<n >> 5, 32 >> (limit > 2 ? 5 : 4)>>>(a);
  shift_by<true, 1> <<< dim3(n >> 5), (n >> 5) > 10 ? 1 : 2 >>> (a);
  shift_by<false, 1><<<n / 32 > 64 ? 64 : n / 32, 1, 0>>>(a);
  add_boxed<Boxed<int>><<<n >> 5, 1>>>(Boxed<int>{7}, a);
  add_boxed<Boxed<int> ><<< (n >> 5), 1 >>>({8}, a);
  shift_by<true, 4><<<dim3(counted(64)), counted(1), counted(0), nullptr>>>(a);
  CHECK(calls == 3);
  for (int value : a.get()) CHECK(value == 2 + 1 - 1 + 7 + 8 + 4);
  return verdict();
}
