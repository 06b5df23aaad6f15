// SPDX-License-Identifier: MIT
// nvcc: -rdc=true
// Relational join: all pairs of tuples of two sorted relations with the same key. A thread
// has a range of keys, finds where it lies in both, and looks up its left tuples in the
// right range; where there are many, a child kernel has a thread for each of them. After
// Diamos et al., "Relational Algorithms for Multi-Bulk-Synchronous Processors" (PPoPP
// 2013), with the launches of Wang and Yalamanchili (IISWC 2014).
//
// A stage is a parent (join), its children (join_tuples), and a barrier kernel (check)
// that says whether the result had room; if not, the host makes room and begins again.
// Siblings that are neighbours share a line of either relation; threads of one child
// search the same tuples.
//
// JOIN-Gaussian and JOIN-uniform. Two sorted relations; each thread processes one of 8192 equal
// ranges of keys. It finds the start of its range in both relations by binary search (the end
// is the next thread's start) and looks up its left tuples on the right, or launches a child
// with one thread per left tuple. Keys of the first are normally distributed with a standard
// deviation of 24 ranges, so that 160 ranges hold nearly all tuples; those of the second are
// uniform, 25 per range. Pairs are written in any order and sorted for the comparison. If
// `--room` is too small for the result, the host restarts with another stage.
#include <algorithm>
#include <cmath>

#include "common/compare.h"
#include "common/device_array.h"
#include "common/dynamic.h"
#include "common/random.h"
#include "common/timer.h"

enum { THREADS = 64 };

struct Pair {
  int left, right;  // tuples
};

struct Join {
  const unsigned *left, *right;  // keys, ascending
  int left_count, right_count;
  Pair *result;
  int *found;  // how many, also if there was no room for them
  int room;
};

struct Range {
  int first, last;  // not included
};

// The first of the range whose key is not below this one.
__device__ int lower_bound(const unsigned *keys, Range range, unsigned key) {
  while (range.first < range.last) {
    int middle = (range.first + range.last) / 2;
    if (keys[middle] < key)
      range.first = middle + 1;
    else
      range.last = middle;
  }
  return range.first;
}

__device__ void join_tuple(const Join &join, int tuple, Range right) {
  unsigned key = join.left[tuple];
  for (int i = lower_bound(join.right, right, key); i < right.last && join.right[i] == key; i++) {
    int place = atomicAdd(join.found, 1);
    if (place < join.room) join.result[place] = {tuple, i};
  }
}

__global__ void join_tuples(Join join, Range left, Range right) {
  int tuple = left.first + (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (tuple < left.last) join_tuple(join, tuple, right);
}

// Of the keys in range number r. A thread searches for the first of them and learns from the
// next thread where they end; one more search is needed for the CTA's last range.
__device__ Range range_of(const unsigned *keys, int count, unsigned r, unsigned width) {
  __shared__ int bounds[THREADS + 1];
  bounds[threadIdx.x] = lower_bound(keys, {0, count}, r * width);
  if (threadIdx.x == 0) bounds[THREADS] = lower_bound(keys, {0, count}, (r + THREADS) * width);
  __syncthreads();
  Range range = {bounds[threadIdx.x], bounds[threadIdx.x + 1]};
  __syncthreads();
  return range;
}

__global__ void join(Join join, int ranges, unsigned width, Dynamic dynamic) {
  unsigned r = blockIdx.x * blockDim.x + threadIdx.x;
  Range left = range_of(join.left, join.left_count, r, width);
  Range right = range_of(join.right, join.right_count, r, width);
  int count = left.last - left.first;
  if (r >= (unsigned)ranges) return;
  if (dynamic.wants_child(count)) {
    ChildStream stream(dynamic);
    join_tuples<<<(count + THREADS - 1) / THREADS, THREADS, 0, stream>>>(join, left, right);
    if (cudaGetLastError() == cudaSuccess) return;
  }
  for (int tuple = left.first; tuple < left.last; tuple++) join_tuple(join, tuple, right);
}

__global__ void check(Join join, int *goes_on) {
  *goes_on = *join.found > join.room;
}

static bool is_before(const Pair &a, const Pair &b) {
  return a.left != b.left ? a.left < b.left : a.right < b.right;
}

static std::vector<Pair> join_on_host(const std::vector<unsigned> &left,
                                      const std::vector<unsigned> &right) {
  std::vector<Pair> pairs;
  for (size_t l = 0; l < left.size(); l++) {
    auto equal = std::equal_range(right.begin(), right.end(), left[l]);
    for (auto at = equal.first; at != equal.second; at++)
      pairs.push_back({(int)l, (int)(at - right.begin())});
  }
  return pairs;
}

struct Ranges {
  int count;
  unsigned width;  // keys
  unsigned keys() const { return (unsigned)count * width; }
};

static std::vector<Pair> join_on_device(const std::vector<unsigned> &left,
                                        const std::vector<unsigned> &right, Ranges ranges, int room,
                                        const Dynamic &dynamic) {
  DeviceArray<unsigned> left_keys(left), right_keys(right);
  DeviceArray<int> found(1), goes_on(1);
  Timer timer;
  for (;; room = found.get()[0]) {
    DeviceArray<Pair> result((size_t)room);
    Join all = {left_keys, right_keys, (int)left.size(), (int)right.size(), result, found, room};
    found.set(std::vector<int>(1, 0));
    join<<<ctas_for(ranges.count, THREADS), THREADS>>>(all, ranges.count, ranges.width, dynamic);
    check<<<1, 1>>>(all, goes_on);
    if (goes_on.get()[0]) continue;
    timer.stop("join");
    std::vector<Pair> pairs = result.get();
    pairs.resize((size_t)found.get()[0]);
    return pairs;
  }
}

// Around 0, with a standard deviation of 1: Box and Muller's.
static double normal(Random *random) {
  double radius = std::sqrt(-2 * std::log(1 - random->uniform(0, 1)));
  return radius * std::cos(6.283185307179586 * random->uniform(0, 1));
}

// Uniform, or around the middle with a standard deviation of so many ranges.
static std::vector<unsigned> make_keys(int count, Ranges ranges, bool is_uniform, int deviation,
                                       Random *random) {
  std::vector<unsigned> keys;
  while ((int)keys.size() < count) {
    double key = is_uniform ? random->below(ranges.keys())
                            : ranges.width * (0.5 * ranges.count + deviation * normal(random));
    if (key >= 0 && key < ranges.keys()) keys.push_back((unsigned)key);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

int main(int argc, char **argv) {
  static const BySize tuples[] = {{1500, 24000, 300000}, {1024, 16384, 204800}};
  Arguments arguments(argc, argv, "relational join with dynamic parallelism");
  int input = arguments.choice("input", {"gaussian", "uniform"}, "how keys are distributed");
  int count = (int)arguments.number("tuples", tuples[input], 1, 1 << 26, "of each relation");
  Ranges ranges;
  ranges.count = (int)arguments.number("ranges", {64, 768, 8192}, 1, 1 << 20, "of keys");
  ranges.width =
      (unsigned)arguments.number("width", {2048, 2048, 2048}, 1, 1 << 20, "keys of a range");
  int deviation = (int)arguments.number("deviation", {4, 8, 24}, 0, 1 << 20,
                                        "of normally distributed keys, in ranges");
  int room = (int)arguments.number("room", {1 << 13, 1 << 17, 1 << 20}, 1, 1 << 28,
                                   "pairs of the result, to begin with");
  Dynamic dynamic = dynamic_options(&arguments, {16, 20, 20},
                                    "left tuples of a range that its own thread looks up");
  arguments.done();

  if (((uint64_t)ranges.count + THREADS) * ranges.width >= (uint64_t)1 << 32)
    fail(EXIT_INPUT, "--ranges %d --width %u: keys have 32 bits", ranges.count, ranges.width);
  Random random(arguments.seed());
  std::vector<unsigned> left = make_keys(count, ranges, input == 1, deviation, &random);
  std::vector<unsigned> right = make_keys(count, ranges, input == 1, deviation, &random);
  dynamic_make_room(dynamic, ranges.count);
  std::vector<Pair> got = join_on_device(left, right, ranges, room, dynamic);
  std::vector<Pair> wanted = join_on_host(left, right);
  printf("%d tuples in each relation, %zu pairs\n", count, wanted.size());
  std::sort(got.begin(), got.end(), is_before);
  auto column = [](const std::vector<Pair> &pairs, int Pair::*member) {
    std::vector<int> values;
    for (const Pair &pair : pairs) values.push_back(pair.*member);
    return values;
  };
  Comparison comparison;
  comparison.exact("left", column(got, &Pair::left), column(wanted, &Pair::left));
  comparison.exact("right", column(got, &Pair::right), column(wanted, &Pair::right));
  return comparison.verdict();
}
