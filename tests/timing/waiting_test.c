// SPDX-License-Identifier: MIT
// Kernels that only wait for a time have the results of runs in which every cycle is simulated, at
// a fraction of their cost (sm/waiting/waiting.h).
#include "unit/cmocka_all.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "policies/registry.h"
#include "policies/warp_scheduler/warp_scheduler.h"
#include "support/case_outcome.h"

static const char *const kernels[] = {"clock32", "apart",      "timer", "sleeper",
                                      "barrier", "arithmetic", "bits"};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static GpuConfig load(const char *gpu) {
  GpuConfig config;
  Error err;
  if (gpu_config_load(&config, gpu, &err) != OK) fail_msg("%s", err.text);
  return config;
}

static CaseOutcome run(const GpuConfig *config, const char *kernel, const char *shape,
                       uint32_t cycles, const CaseOutcomeOptions *options) {
  char text[512];
  snprintf(text, sizeof text,
           "ptx tests/timing/waiting.ptx\nalloc O 65536\nlaunch %s %s $O i:%u\nsum O i32\n", kernel,
           shape, cycles);
  Case *parsed;
  CaseOutcome outcome;
  Error err;
  Status status = case_parse(&parsed, kernel, text, strlen(text), &err);
  if (status == OK) status = case_outcome_run(&outcome, parsed, config, options, &err);
  if (status != OK) fail_msg("%s on %s: %s", kernel, config->gpu.name, err.text);
  case_destroy(parsed);
  return outcome;
}

static void assert_same(const char *what, const CaseOutcome *a, const CaseOutcome *b) {
  for (const StatsPart *part = machine_stats_parts; part->prefix; part++)
    for (const Stat *stat = part->table; stat->name; stat++) {
      uint64_t x = stat_count(stat, (const char *)&a->stats + part->offset);
      uint64_t y = stat_count(stat, (const char *)&b->stats + part->offset);
      if (x != y)
        fail_msg("%s: %s%s is %llu, not %llu", what, part->prefix, stat->name,
                 (unsigned long long)y, (unsigned long long)x);
    }
  assert_memory_equal(&a->stats, &b->stats, sizeof a->stats);
  assert_memory_equal(a->sums, b->sums, sizeof a->sums);
}

static void compare(const GpuConfig *config, const char *kernel, const char *shape,
                    const CaseOutcomeOptions *ways, int way_count) {
  const CaseOutcomeOptions all = {.gpu.no_skip = true};
  CaseOutcome each_cycle = run(config, kernel, shape, 9000, &all);
  for (int i = 0; i < way_count; i++) {
    CaseOutcome skipped = run(config, kernel, shape, 9000, &ways[i]);
    char what[128];
    snprintf(what, sizeof what, "%s %s on %s, way %d", kernel, shape, config->gpu.name, i);
    assert_same(what, &each_cycle, &skipped);
  }
}

static void waiting_has_the_results_of_every_cycle(void **state) {
  (void)state;
  static const char *const gpus[] = {"gtx480", "v100", "a100"};
  static const char *const shapes[] = {"1 1 1 32 1 1", "4 1 1 96 1 1", "36 1 1 128 1 1"};
  static const CaseOutcomeOptions ways[] = {
      {.gpu.threads = 1}, {.gpu.threads = 2}, {.gpu.threads = 3}, {.observe = true}};
  for (int g = 0; g < 3; g++) {
    GpuConfig config = load(gpus[g]);
    for (int k = 0; k < KERNELS; k++) {
      compare(&config, kernels[k], shapes[0], ways, 1);
      compare(&config, kernels[k], shapes[1], ways, 4);
      if (k < 2) compare(&config, kernels[k], shapes[2], ways, 2);
    }
  }
}

// Those that are not is_timeless do not skip.
static void under_every_scheduler(void **state) {
  (void)state;
  static const CaseOutcomeOptions way = {.gpu.threads = 1};
  static const char *const names[] = {
#define WARP_SCHEDULER(name) #name,
#include "policies/warp_scheduler/warp_schedulers.def"
#undef WARP_SCHEDULER
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    GpuConfig config = load(i % 2 ? "v100" : "gtx480");
    snprintf(config.policy.warp_scheduler, sizeof config.policy.warp_scheduler, "%s", names[i]);
    compare(&config, "apart", "5 1 1 96 1 1", &way, 1);
    compare(&config, "sleeper", "5 1 1 96 1 1", &way, 1);
  }
}

// The last CTA begins, and slots are counted otherwise, while SMs that are ahead of the clock let
// periods pass.
static void while_the_last_ctas_begin(void **state) {
  (void)state;
  static const CaseOutcomeOptions ways[] = {{.gpu.threads = 1}, {.gpu.threads = 2}};
  static const char *const gpus[] = {"gtx480", "gtx570", "v100"};
  static const char *const shapes[] = {"33 1 1 32 1 1", "60 1 1 64 1 1", "133 1 1 32 1 1"};
  for (int g = 0; g < 3; g++) {
    GpuConfig config = load(gpus[g]);
    config.gpu.sm_count = 4;
    for (int i = 0; i < 3; i++) {
      compare(&config, "clock32", shapes[i], ways, 2);
      compare(&config, "staggered", shapes[i], ways, 2);
    }
  }
}

// Counters are read at the ends of intervals, in the middle of periods.
static void between_intervals(void **state) {
  (void)state;
  GpuConfig config = load("v100");
  const CaseOutcomeOptions way = {.gpu.interval_cycles = 1009};
  compare(&config, "clock32", "4 1 1 96 1 1", &way, 1);
  compare(&config, "arithmetic", "4 1 1 96 1 1", &way, 1);
}

// Simulated one by one, these cycles take 10 s of CPU time and more.
static void waiting_costs_no_host_time(void **state) {
  (void)state;
  GpuConfig config = load("v100");
  for (int k = 0; k < KERNELS - 1; k++) {
    clock_t before = clock();
    CaseOutcome outcome = run(&config, kernels[k], "8 1 1 64 1 1", 50000000, NULL);
    double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
    assert_true(outcome.stats.sm.cycles >= 50000000);
    if (seconds > 4) fail_msg("%s: %.1f s", kernels[k], seconds);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(waiting_has_the_results_of_every_cycle),
      cmocka_unit_test(under_every_scheduler),
      cmocka_unit_test(while_the_last_ctas_begin),
      cmocka_unit_test(between_intervals),
      cmocka_unit_test(waiting_costs_no_host_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
