// SPDX-License-Identifier: MIT
// Macros with several launches, in types and lists of parameters, in configurations,
// and defined again.
#include "check.h"

#define ELEMENT float
#define PARAMETERS int *a, int value
#define GRID 40
#define CONFIGURATION GRID, 1
#define BOTH(n)                       \
  do {                                \
    macro_first<<<n, 1>>>(a);         \
    macro_second<<<n, 1>>>(a, 5);     \
  } while (0)
#define TYPED(type, n) macro_typed<type, 3><<<n, 1>>>((type)2, a)
#define NESTED(n) TYPED(int, n)
#define ANY(kernel, n, ...) kernel<<<n, 1>>>(__VA_ARGS__)
#define WITH_TYPE(type, ...)   \
  do {                         \
    using scalar = type;       \
    __VA_ARGS__                \
  } while (0)

__global__ void macro_first(int *a) { a[blockIdx.x] += 1; }
__global__ void macro_second(int *a, int value, int more = GRID + 60);
__global__ void macro_second(int *a, int value, int more) { a[blockIdx.x] += value + more; }
__global__ void macro_element(const ELEMENT *x, int *a) { a[blockIdx.x] += (int)x[0]; }
__global__ void macro_parameters(PARAMETERS) { a[blockIdx.x] += value; }
template <class T, int N>
__global__ void macro_typed(T value, int *a) {
  a[blockIdx.x] += value + N;
}

int main() {
  Array<int> a(GRID);
  Array<float> x(1, 3.0f);
  BOTH(GRID);
  macro_second<<<GRID, 1>>>(a, 1);
  macro_element<<<CONFIGURATION>>>(x, a);
  macro_parameters<<<CONFIGURATION>>>(a, 9);
  NESTED(GRID);
  ANY(macro_first, GRID, a);
  WITH_TYPE(int, macro_typed<scalar, 1><<<GRID, 1>>>(3, a););
  for (int value : a.get()) CHECK(value == 1 + 105 + 101 + 3 + 9 + 5 + 1 + 4);
#undef ANY
#define ANY(kernel, n, ...) kernel<<<dim3(n), dim3(1)>>>(__VA_ARGS__)
  ANY(macro_first, GRID, a);
  for (int value : a.get()) CHECK(value == 230);
  return verdict();
}

#undef ELEMENT
#undef PARAMETERS
#undef GRID
#undef CONFIGURATION
#undef BOTH
#undef TYPED
#undef NESTED
#undef ANY
#undef WITH_TYPE
