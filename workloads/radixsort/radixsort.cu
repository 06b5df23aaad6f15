// SPDX-License-Identifier: MIT
// nvcc: -rdc=true
// Radix sort from the highest bit down, in which each half is sorted by a child kernel, as
// deep as launches may be nested; bits below that are left to exchanges of neighbours.
// Few values occur very often: their parts stay large down to the last bit, and that
// makes the depth. A child reads what its parent has just written.
//
// Radixsort. As quicksort, by bits from the highest down. Seven of eight keys are one of 216
// values, whose parts stay large down to level 24.
#include "common/part_sort.h"
#include "common/random.h"

struct HasBitClear {
  int bit;
  __device__ bool operator()(unsigned value) const { return !(value >> bit & 1); }
};

// A part's key is its highest bit that has not been looked at.
struct DivideByBit {
  __device__ void operator()(const PartSort &sort, const Part &part, Part halves[2]) const {
    int left = part_divide(sort, part, HasBitClear{part.key});
    halves[0] = {part.first, left, part.depth + 1, part.key - 1};
    halves[1] = {part.first + left, part.count - left, part.depth + 1, part.key - 1};
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
  sort_or_divide(sort, parts ? parts[blockIdx.x] : part, DivideByBit(), LaunchPart());
}

static void launch_list(const PartSort &sort, const Part *parts, unsigned count) {
  sort_part<<<count, SORT_THREADS>>>(sort, Part(), parts);
}

// Of `count` values, most are one of `often`.
static std::vector<unsigned> with_duplicates(int count, int often, uint64_t seed) {
  Random random(seed);
  std::vector<unsigned> frequent, values;
  for (int i = 0; i < often; i++) frequent.push_back((unsigned)random.bits());
  for (int i = 0; i < count; i++)
    values.push_back(random.below(8) ? frequent[random.below((uint32_t)often)]
                                     : (unsigned)random.bits());
  return values;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "radix sort, a kernel for each part");
  int count = (int)arguments.number("count", {512, 8192, 65536}, 1, 1 << 26, "elements");
  int often = (int)arguments.number("often", {4, 24, 216}, 1, 1 << 20, "values that occur often");
  int depth = (int)arguments.number("depth", {24, 24, 24}, 0, 24, "nested launches, at most");
  Dynamic dynamic =
      dynamic_options(&arguments, {48, 128, 128}, "elements that are sorted by exchanging neighbours");
  arguments.done();
  return sort_and_compare("radixsort",
                                     with_duplicates(count, often, arguments.seed()), 31, depth,
                          dynamic, launch_list);
}
