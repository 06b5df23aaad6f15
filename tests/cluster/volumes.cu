// SPDX-License-Identifier: MIT
// A 3D grid of odd size, early returns, switch and goto, recursion, parameter packs,
// launches in lambdas.
#include "check.h"
template <int D>
__device__ int position(int scale = 1) {
  if (D == 0) return blockIdx.x * scale;
  if (D == 1) return blockIdx.y * scale;
  return blockIdx.z * scale;
}
__device__ int depth(int n) {
  return n == 0 ? (int)blockIdx.z : depth(n - 1) + 1;
}
template <bool FLIP>
__global__ void volume(int *out, int3 size, int *errors) {
  int x = position<0>() * blockDim.x + threadIdx.x, y = position<1>() * blockDim.y + threadIdx.y,
      z = position<2>();
  if (x >= size.x || y >= size.y || z >= size.z) return;
  struct Local {
    int v;
    __device__ int twice() const { return 2 * v; }
  };
  Local local = {x + y};
  int value = 0;
  switch (threadIdx.x & 3) {
    case 0: value = local.twice(); break;
    case 1: value = local.v; goto done;
    default:
      for (int i = 0; i < 4; i++) {
        value += local.v;
        if (i == 2) break;
      }
  }
  if (FLIP) value = -value;
done:
  if (depth(3) != z + 3) atomicAdd(errors, 1);
  out[(z * size.y + y) * size.x + x] = value;
}
__global__ void search(const int *hay, int n, int needle, int *found) {
  for (int i = blockIdx.x * n; i < (int)(blockIdx.x + 1) * n; i++)
    if (hay[i] == needle) {
      found[blockIdx.x] = i;
      return;
    }
  found[blockIdx.x] = -1;
}
template <typename... Ts>
__global__ void store_all(int *out, Ts... values) {
  int list[] = {values...};
  out[blockIdx.x] = list[blockIdx.x % sizeof...(Ts)];
}
static void go(cudaStream_t s, Array<int> &out) {
  auto launch = [&](int a) { store_all<int, int, int><<<dim3(9), dim3(1), 0, s>>>(out, a, 2, 3); };
  launch(1);
}
int main() {
  int3 size = {37, 21, 5};
  Array<int> out(37 * 21 * 5), errors(1);
  dim3 block(8, 4), grid((size.x + 7) / 8, (size.y + 3) / 4, size.z);
  volume<false><<<grid, block>>>(out, size, errors);
  CHECK(errors.get()[0] == 0);
  std::vector<int> o = out.get();
  for (int z = 0; z < 5; z++)
    for (int y = 0; y < 21; y++)
      for (int x = 0; x < 37; x++) {
        int k = x % 8 & 3, v = k == 0 ? 2 * (x + y) : k == 1 ? x + y : 3 * (x + y);
        CHECK(o[(z * 21 + y) * 37 + x] == v);
      }
  volume<true><<<grid, block>>>(out, size, errors);
  Array<int> hay(numbers(64 * 50)), found(50);
  search<<<50, 1>>>(hay, 64, 1000, found);
  std::vector<int> f = found.get();
  for (int i = 0; i < 50; i++) CHECK(f[i] == (i == 1000 / 64 ? 1000 : -1));
  Array<int> st(9);
  go(0, st);
  std::vector<int> s = st.get();
  for (int i = 0; i < 9; i++) CHECK(s[i] == i % 3 + 1);
  return verdict();
}
