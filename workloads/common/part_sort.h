// SPDX-License-Identifier: MIT
// Sorting by dividing, in which every part is a kernel of one CTA: quicksort, radixsort.
// A part that is divided moves to the other of two buffers, so both halves keep their
// order; one that is small, or as deep as launches go, is sorted where it is by exchanging
// neighbours and then copied home.
//
// A half that cannot be launched (--flat, or a launch was refused) goes into a list, and
// the host launches one kernel for all of the list until nothing is left in it.
#ifndef WORKLOADS_PART_SORT_H
#define WORKLOADS_PART_SORT_H

#include <algorithm>

#include "common/compare.h"
#include "common/device_array.h"
#include "common/dynamic.h"
#include "common/timer.h"

enum { SORT_THREADS = 128, SORT_WARPS = SORT_THREADS / 32 };

struct Part {
  int first, count;
  int depth;  // of divisions; data are in buffers[depth % 2]
  int key;    // what the program divides by
};

struct PartSort {
  unsigned *buffers[2];
  Part *list;  // of parts that the host has to launch
  int *list_count;
  int most_depth;
  Dynamic dynamic;
};

// The number of threads before this one, and of all, for which it is true. All threads
// of the CTA call it.
__device__ static int count_before(bool is_true, int *all) {
  __shared__ int of_warp[SORT_WARPS];
  unsigned votes = __ballot_sync(~0u, is_true);
  int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32, before = 0;
  if (lane == 0) of_warp[warp] = __popc(votes);
  __syncthreads();
  *all = 0;
  for (int w = 0; w < SORT_WARPS; w++) {
    if (w == warp) before = *all;
    *all += of_warp[w];
  }
  __syncthreads();
  return before + __popc(votes & ((1u << lane) - 1));
}

// Moves the part to the other buffer, what is_left says to its beginning. Returns how
// many those are.
template <typename IsLeft>
__device__ int part_divide(const PartSort &sort, const Part &part, const IsLeft &is_left) {
  const unsigned *from = sort.buffers[part.depth % 2] + part.first;
  unsigned *to = sort.buffers[(part.depth + 1) % 2] + part.first;
  int left = 0, now, done_left = 0, done = 0;
  for (int i = threadIdx.x; i < part.count + (int)threadIdx.x; i += SORT_THREADS)
    left += __syncthreads_count(i < part.count && is_left(from[i]));
  for (int i = threadIdx.x; i < part.count + (int)threadIdx.x; i += SORT_THREADS) {
    bool goes_left = i < part.count && is_left(from[i]);
    int before = count_before(goes_left, &now);
    int place = goes_left ? done_left + before : left + (done - done_left) + ((int)threadIdx.x - before);
    if (i < part.count) to[place] = from[i];
    done_left += now;
    done += SORT_THREADS;
  }
  return left;
}

// Exchanges neighbours, even and odd pairs in turn, until a round of both changes nothing.
__device__ static void part_exchange(const PartSort &sort, const Part &part) {
  unsigned *data = sort.buffers[part.depth % 2] + part.first;
  bool is_changed = part.count > 1;
  while (__syncthreads_or(is_changed)) {
    is_changed = false;
    for (int odd = 0; odd < 2; odd++) {
      for (int i = 2 * (int)threadIdx.x + odd; i + 1 < part.count; i += 2 * SORT_THREADS) {
        unsigned a = data[i], b = data[i + 1];
        if (a <= b) continue;
        data[i] = b;
        data[i + 1] = a;
        is_changed = true;
      }
      __syncthreads();
    }
  }
  unsigned *home = sort.buffers[0] + part.first;
  for (int i = threadIdx.x; home != data && i < part.count; i += SORT_THREADS) home[i] = data[i];
}

// One CTA's work. The program says how a part is divided: divide(sort, part, halves)
// moves it to the other buffer and says what the two halves are; all threads call it.
// And it launches a kernel for a part: launch(sort, part, stream).
template <typename Divide, typename Launch>
__device__ void sort_or_divide(const PartSort &sort, const Part &part, const Divide &divide,
                               const Launch &launch) {
  if (part.count <= sort.dynamic.threshold || part.depth >= sort.most_depth) {
    part_exchange(sort, part);
    return;
  }
  Part halves[2];
  divide(sort, part, halves);
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 0; i < 2; i++) {
    if (!halves[i].count) continue;
    if (!sort.dynamic.is_flat) {
      ChildStream stream(sort.dynamic);
      launch(sort, halves[i], stream);
      if (cudaGetLastError() == cudaSuccess) continue;
    }
    sort.list[atomicAdd(sort.list_count, 1)] = halves[i];
  }
}

// Sorts on the device and compares with the host. `key` is that of the whole;
// launch(sort, parts, count) launches a kernel with a CTA for each of the parts.
template <typename Launch>
int sort_and_compare(const char *name, const std::vector<unsigned> &values, int key, int most_depth,
                     const Dynamic &dynamic, const Launch &launch) {
  DeviceArray<unsigned> home(values), other(values.size());
  // No two parts in the list have an element in common.
  DeviceArray<Part> list(values.size()), now(values.size());
  DeviceArray<int> list_count(1);
  PartSort sort = {{home, other}, list, list_count, most_depth, dynamic};
  dynamic_make_room(dynamic, (long long)values.size());
  int rounds = 0;
  Timer timer;
  std::vector<Part> parts(1, {0, (int)values.size(), 0, key});
  while (!parts.empty()) {
    now.set(parts);
    list_count.set(std::vector<int>(1, 0));
    launch(sort, (const Part *)now, (unsigned)parts.size());
    parts = list.get();
    parts.resize((size_t)list_count.get()[0]);
    rounds++;
  }
  timer.stop(name);
  printf("%zu elements, %d launches by the host\n", values.size(), rounds);
  std::vector<unsigned> expected = values;
  std::sort(expected.begin(), expected.end());
  Comparison comparison;
  comparison.exact("values", home.get(), expected);
  return comparison.verdict();
}

#endif
