// SPDX-License-Identifier: MIT
// nvcc: -rdc=true
// Quicksort in which each half is sorted by a child kernel, as deep as launches may be
// nested. The pivot is a part's first element, and the input is nearly in order: each
// division takes off a little, which is the long chain of launches that table 2 of Tang
// et al. (SIGMETRICS 2018) has. A child reads what its parent has just written.
//
// Quicksort. One CTA partitions a part by its first element, stably, from one buffer into the
// other; each half is a child kernel; parts below the threshold, or 24 deep, are bubble sorted,
// as in the paper. Keys are nearly sorted, with blocks of 1024 shuffled, which leads to 24
// levels with few kernels. With `--flat`, and if launches fail, the host launches one kernel
// with a CTA per remaining part.
#include "common/part_sort.h"
#include "common/random.h"

struct IsBelow {
  unsigned pivot;
  __device__ bool operator()(unsigned value) const { return value < pivot; }
};

// The pivot comes to stand between the halves, where it belongs.
struct DivideByPivot {
  __device__ void operator()(const PartSort &sort, const Part &part, Part halves[2]) const {
    unsigned pivot = sort.buffers[part.depth % 2][part.first];
    int left = part_divide(sort, part, IsBelow{pivot});
    if (threadIdx.x == 0) sort.buffers[0][part.first + left] = pivot;
    halves[0] = {part.first, left, part.depth + 1, 0};
    halves[1] = {part.first + left + 1, part.count - left - 1, part.depth + 1, 0};
  }
};

__global__ void sort_part(PartSort sort, Part part, const Part *parts);

struct LaunchPart {
  __device__ void operator()(const PartSort &sort, const Part &part, cudaStream_t stream) const {
    sort_part<<<1, SORT_THREADS, 0, stream>>>(sort, part, NULL);
  }
};

// A part, or one for each CTA.
__global__ void sort_part(PartSort sort, Part part, const Part *parts) {
  sort_or_divide(sort, parts ? parts[blockIdx.x] : part, DivideByPivot(), LaunchPart());
}

static void launch_list(const PartSort &sort, const Part *parts, unsigned count) {
  sort_part<<<count, SORT_THREADS>>>(sort, Part(), parts);
}

// Ascending but for a disorder within blocks.
static std::vector<unsigned> nearly_sorted(int count, int block, uint64_t seed) {
  Random random(seed);
  std::vector<unsigned> values;
  for (int i = 0; i < count; i++)
    values.push_back((unsigned)(i / block) << 16 | random.below(1 << 16));
  return values;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "quicksort, a kernel for each part");
  int count = (int)arguments.number("count", {384, 2048, 12288}, 1, 1 << 26, "elements");
  int block = (int)arguments.number("block", {32, 128, 1024}, 1, 1 << 26,
                                    "elements that are out of order among each other");
  int depth = (int)arguments.number("depth", {24, 24, 24}, 0, 24, "nested launches, at most");
  Dynamic dynamic =
      dynamic_options(&arguments, {24, 64, 512}, "elements that are sorted by exchanging neighbours");
  arguments.done();
  if (count / block >= 1 << 16) fail(EXIT_INPUT, "--block %d: too small for %d", block, count);
  return sort_and_compare("quicksort", nearly_sorted(count, block, arguments.seed()), 0,
                          depth, dynamic, launch_list);
}
