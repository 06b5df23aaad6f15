// SPDX-License-Identifier: MIT
// How long one load takes in each CTA of an SM: listing 3 of Li et al. (ASPLOS 2017).
//
// CTAs are one warp, and fill every slot of every SM several times over. All that
// run on one SM read the same line. At the same time, they all wait for memory, and
// those of later turns find the line in the L1 (reuse over time). Staggered, only
// the first of all has to wait (reuse between CTAs that run together).
//
// Prints a line for each turn of the SM that holds CTA 0.
//
// Listing 3 of Li et al.: 32 threads per CTA, one of which measures a load with the SM's clock;
// every CTA slot of every SM is used 4 times (2 where there are 32 slots). With `--staggered`,
// CTA i first waits i times `--delay` clocks. It prints the clocks of each turn on the SM of
// CTA 0. The listing's barriers are omitted: the second clock read depends on an addition that
// depends on the load. `tiny` and `small` stagger CTAs by 80 clocks, at least 1200 between two
// CTAs of an SM; `paper` by the listing's 1200.
#include <algorithm>

#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/timer.h"

enum { CTA = 32, SPACING = 32 };

// delay: clocks that CTA i waits i times before it begins.
__global__ void measure(const float *input, float *values, int *sms, unsigned *ticks, int ctas,
                        unsigned delay) {
  unsigned sm, before, after;
  int cta = blockIdx.x;
  float value;
  if (threadIdx.x) return;  // one lane: nothing to coalesce
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  const float *address = &input[sm * SPACING];
  long long start = clock64();
  while (clock64() - start < (long long)delay * cta) continue;
  // The addition waits for the load, the second clock for the addition's turn.
  asm volatile(
      "mov.u32 %0, %%clock;\n\t"
      "ld.global.ca.f32 %1, [%3];\n\t"
      "add.f32 %1, %1, 0f3F800000;\n\t"
      "mov.u32 %2, %%clock;"
      : "=r"(before), "=f"(value), "=r"(after)
      : "l"(address)
      : "memory");
  values[cta] = value;
  sms[cta] = (int)sm;
  ticks[cta] = after - before;
}

static void print_turns(const std::vector<int> &sms, const std::vector<unsigned> &ticks,
                        size_t slots) {
  std::vector<unsigned> own;
  for (size_t i = 0; i < ticks.size(); i++)
    if (sms[i] == sms[0]) own.push_back(ticks[i]);
  for (size_t begin = 0; begin < own.size(); begin += slots) {
    auto first = own.begin() + (long)begin;
    auto last = own.begin() + (long)std::min(begin + slots, own.size());
    double sum = 0;
    for (auto each = first; each != last; each++) sum += *each;
    printf("turn %zu: %ld CTAs, clocks: first %u, least %u, mean %.1f, most %u\n", begin / slots,
           (long)(last - first), *first, *std::min_element(first, last),
           sum / (double)(last - first), *std::max_element(first, last));
  }
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "how long one load takes in each CTA of an SM");
  int turns = (int)arguments.number("turns", {0, 0, 0}, 0, 64,
                                    "CTAs a slot; 0: 4 on SMs of up to 16 slots, else 2");
  int delay = (int)arguments.number("delay", {80, 80, 1200}, 1, 1 << 20,
                                    "clocks from one CTA to the next, where staggered");
  bool staggered = arguments.flag("staggered", "CTAs begin one after the other");
  arguments.done();

  cudaDeviceProp device;
  int slots;
  CUDA(cudaGetDeviceProperties(&device, 0));
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&slots, measure, CTA, 0));
  if (!turns) turns = slots > 16 ? 2 : 4;
  int sm_count = device.multiProcessorCount, ctas = sm_count * slots * turns;
  printf("%d SMs, %d slots, %d turns: %d CTAs\n", sm_count, slots, turns, ctas);

  Random random(arguments.seed());
  std::vector<float> input = random.floats((size_t)sm_count * SPACING, 0, 1);
  DeviceArray<float> device_input(input), values((size_t)ctas);
  DeviceArray<int> sms((size_t)ctas);
  DeviceArray<unsigned> ticks((size_t)ctas);
  Timer timer;
  measure<<<ctas, CTA>>>(device_input, values, sms, ticks, ctas, staggered ? delay : 0);
  timer.stop("microbench");

  std::vector<int> sm_of = sms.get();
  print_turns(sm_of, ticks.get(), (size_t)slots);
  Comparison comparison;
  std::vector<float> expected((size_t)ctas);
  for (int i = 0; i < ctas; i++) {
    bool exists = sm_of[i] >= 0 && sm_of[i] < sm_count;
    comparison.holds("the SM is one of the GPU's", exists);
    if (exists) expected[i] = input[(size_t)sm_of[i] * SPACING] + 1;
  }
  comparison.exact("values", values.get(), expected);
  return comparison.verdict();
}
