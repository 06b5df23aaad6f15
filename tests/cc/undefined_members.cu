// SPDX-License-Identifier: MIT
// Structures with members or padding that were never written, returned by value and copied:
// what was written must survive.
#include "check.h"

// Padding behind the flag; the constructor makes it a class whose padding could be reused.
template <typename K, typename V>
struct Pair {
  __device__ Pair() {}
  __device__ Pair(K key, V value) : k(key), v(value) {}
  __device__ __forceinline__ bool operator<(const Pair &other) const {
    return k < other.k || (k == other.k && v < other.v);
  }
  K k;
  V v;
};

template <typename K, typename V>
__device__ __forceinline__ Pair<K, V> exchanged(const Pair<K, V> &it, int mask) {
  return Pair<K, V>(__shfl_xor_sync(~0u, it.k, mask), __shfl_xor_sync(~0u, it.v, mask));
}

template <typename T>
__device__ __forceinline__ bool is_less(const T a, const T b) {
  return a < b;
}

template <typename T>
__device__ __forceinline__ T lower_or_upper(const T mine, int mask, int direction) {
  T theirs = exchanged(mine, mask);
  return is_less(mine, theirs) == direction ? theirs : mine;
}

// A bitonic sort of a warp's pairs, by key.
template <typename V>
__global__ void sort_pairs(const int *keys, int *sorted_keys, int *values) {
  int lane = threadIdx.x;
  Pair<int, V> it(keys[lane], keys[lane] % 3 == 0);
  for (int size = 2; size <= 32; size *= 2)
    for (int mask = size / 2; mask; mask /= 2)
      it = lower_or_upper(it, mask, ((lane & size) != 0) ^ ((lane & mask) != 0));
  sorted_keys[lane] = it.k;
  values[lane] = it.v;
}

// The value is written only if there is one.
struct Optional {
  int value;
  bool is_there;
};

__device__ __forceinline__ Optional find(const int *keys, int key) {
  Optional result;
  result.is_there = false;
  if (keys[key] % 2) result.value = keys[key], result.is_there = true;
  return result;
}

__device__ __forceinline__ Optional either(const Optional a, const Optional b) {
  Optional copy = a.is_there ? a : b;
  return copy;
}

__global__ void count_found(const int *keys, int *found) {
  Optional it = either(find(keys, threadIdx.x), find(keys, threadIdx.x ^ 1));
  found[threadIdx.x] = it.is_there ? it.value : -1;
}

static int key_of(int lane) {
  return lane * 7 % 32;
}

int main() {
  int *keys, *sorted, *values, *found;
  CUDA(cudaMallocManaged(&keys, 32 * sizeof(int)));
  CUDA(cudaMallocManaged(&sorted, 32 * sizeof(int)));
  CUDA(cudaMallocManaged(&values, 32 * sizeof(int)));
  CUDA(cudaMallocManaged(&found, 32 * sizeof(int)));
  for (int i = 0; i < 32; i++) keys[i] = key_of(i);
  for (int kind = 0; kind < 3; kind++) {
    if (kind == 0) sort_pairs<bool><<<1, 32>>>(keys, sorted, values);
    if (kind == 1) sort_pairs<char><<<1, 32>>>(keys, sorted, values);
    if (kind == 2) sort_pairs<short><<<1, 32>>>(keys, sorted, values);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++) CHECK(sorted[i] == i && values[i] == (i % 3 == 0), "kind %d, place %d: key %d, value %d", kind, i,
            sorted[i], values[i]);
  }
  count_found<<<1, 32>>>(keys, found);
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 32; i++) {
    int own = key_of(i), other = key_of(i ^ 1);
    CHECK(found[i] == (own % 2 ? own : other % 2 ? other : -1), "lane %d finds %d", i, found[i]);
  }
  return check_end();
}
