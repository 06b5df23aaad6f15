// SPDX-License-Identifier: MIT
// refused: 18: launched by a macro that cannot be rewritten for another kernel (LAUNCH)
#define LAUNCH(kernel, ...) kernel<<<8, 1>>>(__VA_ARGS__)

template <class T>
__global__ void deduced(T *a) {
  a[blockIdx.x] += 1;
}
__global__ void plain(int *a) { a[blockIdx.x] += 1; }

template <class T>
void run_any(T *a) {
  LAUNCH(deduced, a);
}

void run(int *a) {
  run_any(a);
  LAUNCH(plain, a);
}
