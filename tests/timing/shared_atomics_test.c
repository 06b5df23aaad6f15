// SPDX-License-Identifier: MIT
// Atomics on shared memory cost what was published (bench/microbenchmarks/README.md): a histogram
// with 1, 16 and 256 bins, and 200 atomics of which all lanes meet in one word.
//
// Published is the interval between two atomics of one warp of which n lanes meet in one word
// (Jia et al., arXiv:1804.06826), here for n = 1, 2, 4, ... 32. The test repeats the values that
// the lanes of the histogram count, finds for each step of the warp how many of them meet in the
// fullest bin, and adds up the published intervals, linear between the n above. What the loop
// takes besides is measured with the same kernel and a store in place of the atomic.
#include "support/micro_quantity.h"
#include "unit/cmocka_all.h"

static const char folder[] = "bench/microbenchmarks";
#define COUNT_IT "red.shared.add.u32 [%r7], %r5;"
#define STORE_IT "st.shared.u32 [%r7], %r5;"

static void check(Status status, const Error *err) {
  if (status != OK) fail_msg("%s", err->text);
}

static uint64_t cycles_of(const char *gpu, const MicroRun *run) {
  Error err;
  GpuConfig config;
  MicroResult result;
  check(gpu_config_load(&config, gpu, &err), &err);
  check(micro_run(folder, &config, run, &result, &err), &err);
  return result.cycles;
}

enum { FEW = 20, MANY = 60 };

// Cycles of the steps between FEW and MANY: launch and cold caches cancel out.
static double histogram_cycles(const char *gpu, uint32_t threads, uint32_t bins,
                               const char *atomic) {
  MicroRun run = {.kernel = "histogram",
                  .measured = atomic,
                  .ctas = 1,
                  .threads = threads,
                  .count = FEW,
                  .step = bins};
  uint64_t few = cycles_of(gpu, &run);
  run.count = MANY;
  return (double)cycles_of(gpu, &run) - (double)few;
}

// ---- what was published

enum { MEASURED = 6 };  // 1, 2, 4, 8, 16, 32 lanes
static const double kepler[MEASURED] = {93, 214, 460, 952, 1936, 4257};
static const double pascal[MEASURED] = {15, 17, 19, 30, 46, 78};
static const double volta[MEASURED] = {6, 7, 11, 18, 24, 66};

static double interval_of(const double *published, uint32_t lanes) {
  uint32_t i = 0;
  while (i + 1 < MEASURED && 2u << i <= lanes) i++;
  if (i + 1 == MEASURED) return published[i];
  double part = (double)(lanes - (1u << i)) / (double)(1u << i);
  return published[i] + part * (published[i + 1] - published[i]);
}

static uint32_t fullest_bin(uint32_t *values, uint32_t bins) {
  uint32_t counts[256] = {0}, most = 0;
  for (int lane = 0; lane < 32; lane++) {
    values[lane] = values[lane] * 1664525u + 1013904223u;
    uint32_t count = ++counts[values[lane] >> 16 & (bins - 1)];
    if (count > most) most = count;
  }
  return most;
}

// Steps FEW to MANY of the first warp.
static double published_cycles(const double *published, uint32_t bins) {
  uint32_t values[32];
  double sum = 0;
  for (uint32_t lane = 0; lane < 32; lane++) values[lane] = lane * 0x9E3779B1u + 0x7F4A7C15u;
  for (uint32_t step = 0; step < MANY; step++) {
    uint32_t lanes = fullest_bin(values, bins);
    if (step >= FEW) sum += interval_of(published, lanes);
  }
  return sum;
}

// ---- tests

static void check_histogram(const char *gpu, const double *published) {
  static const uint32_t bins[] = {1, 16, 256};
  double loop = histogram_cycles(gpu, 32, 256, STORE_IT), before = 0;
  for (int i = 2; i >= 0; i--) {
    double here = histogram_cycles(gpu, 32, bins[i], COUNT_IT);
    double there = loop + published_cycles(published, bins[i]);
    if (here < there / 1.33 || here > there * 1.33)
      fail_msg("%s, %u bins: %g cycles, published %g", gpu, bins[i], here, there);
    assert_true(here > before);
    before = here;
  }
}

static void a_histogram_of_k40_costs_what_was_published(void **state) {
  (void)state;
  check_histogram("k40", kepler);
}

static void a_histogram_of_gtx1080_costs_what_was_published(void **state) {
  (void)state;
  check_histogram("gtx1080", pascal);
}

static void a_histogram_of_v100_costs_what_was_published(void **state) {
  (void)state;
  check_histogram("v100", volta);
}

// Eight warps compete for the same bins: fewer bins are never faster.
static void fewer_bins_are_slower_with_eight_warps(void **state) {
  (void)state;
  static const char *const gpus[] = {"gtx480", "k40", "gtx980", "gtx1080", "v100", "a100"};
  for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
    double one = histogram_cycles(gpus[i], 256, 1, COUNT_IT);
    double sixteen = histogram_cycles(gpus[i], 256, 16, COUNT_IT);
    double many = histogram_cycles(gpus[i], 256, 256, COUNT_IT);
    if (one < 2 * sixteen || sixteen <= many)
      fail_msg("%s: %g, %g and %g cycles with 1, 16 and 256 bins", gpus[i], one, sixteen, many);
  }
}

static void atomics_on_one_word_are_slower_than_spread(void **state) {
  (void)state;
  static const char *const gpus[] = {"gtx480", "k40", "gtx1080", "v100", "a100"};
  for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
    MicroRun run = {.kernel = "shared_atomic",
                    .measured = "atom.shared.add.u32 %r5, [%r9], %r1;",
                    .ctas = 1,
                    .threads = 32,
                    .step = 32};
    uint64_t one_word = cycles_of(gpus[i], &run);
    run.step = 1;
    uint64_t spread = cycles_of(gpus[i], &run);
    if (one_word < 3 * spread / 2)
      fail_msg("%s: one word %llu cycles, spread %llu", gpus[i], (unsigned long long)one_word,
               (unsigned long long)spread);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_histogram_of_k40_costs_what_was_published),
      cmocka_unit_test(a_histogram_of_gtx1080_costs_what_was_published),
      cmocka_unit_test(a_histogram_of_v100_costs_what_was_published),
      cmocka_unit_test(fewer_bins_are_slower_with_eight_warps),
      cmocka_unit_test(atomics_on_one_word_are_slower_than_spread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
