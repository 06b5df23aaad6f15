// SPDX-License-Identifier: MIT
// What must not change a result does not: running again, stepping through
// every cycle, observers, threads. All public cases in full on the gtx480, cut
// down on every GPU that ships; all counters are compared, and the sums with
// those of a run without timing.
#include "unit/cmocka_all.h"

#include <glob.h>
#include <stdio.h>

#include "timing/small_cases.h"

typedef struct Way {
  const char *how;
  CaseOutcomeOptions options;
} Way;

static const Way each_way[] = {{"again", {.observe = false}},
                               {"--no-skip", {.gpu.no_skip = true}},
                               {"observed", {.observe = true}},
                               {"--threads 2", {.gpu.threads = 2}},
                               {.how = NULL}};
// The same in fewer runs, for long cases.
static const Way few_ways[] = {{"--no-skip", {.gpu.no_skip = true}},
                               {"--threads 3", {.gpu.threads = 3}},
                               {"observed, --threads 2", {.observe = true, .gpu.threads = 2}},
                               {.how = NULL}};

static CaseOutcome run(const Case *parsed, const GpuConfig *config,
                       const CaseOutcomeOptions *options) {
  CaseOutcome outcome;
  Error err;
  if (case_outcome_run(&outcome, parsed, config, options, &err) != OK)
    fail_msg("%s on %s: %s", parsed->source.path, config->gpu.name, err.text);
  return outcome;
}

static void assert_same(const Case *parsed, const char *how, const CaseOutcome *a,
                        const CaseOutcome *b) {
  for (const StatsPart *part = machine_stats_parts; part->prefix; part++)
    for (const Stat *stat = part->table; stat->name; stat++) {
      uint64_t x = stat_count(stat, (const char *)&a->stats + part->offset);
      uint64_t y = stat_count(stat, (const char *)&b->stats + part->offset);
      if (x != y)
        fail_msg("%s, %s: %s%s is %llu, not %llu", parsed->source.path, how, part->prefix,
                 stat->name, (unsigned long long)y, (unsigned long long)x);
    }
  assert_memory_equal(&a->stats, &b->stats, sizeof a->stats);
  assert_memory_equal(a->sums, b->sums, sizeof a->sums);
}

// Counts that say the same thing in two places.
static void assert_identities(const MachineStats *stats) {
  const CacheStats *caches[] = {&stats->l1d, &stats->l1i, &stats->l1c, &stats->l2};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(caches[i]->hits + caches[i]->merges + caches[i]->misses, caches[i]->accesses);
    assert_int_equal(caches[i]->reads + caches[i]->writes, caches[i]->accesses);
  }
  assert_int_equal(stats->sm.ctas, stats->dispatched_ctas);
  assert_int_equal(stats->slice.packets, stats->request_noc.packets);
  assert_int_equal(stats->slice.replies, stats->slice.pieces);
  assert_int_equal(stats->slice.replies, stats->reply_noc.packets);
}

static void compare(const Case *parsed, const GpuConfig *config, const Way *ways) {
  const CaseOutcomeOptions functional = {.functional = true};
  CaseOutcome first = run(parsed, config, NULL), sums = run(parsed, config, &functional);
  assert_memory_equal(first.sums, sums.sums, sizeof sums.sums);
  assert_identities(&first.stats);
  for (; ways->how; ways++) {
    CaseOutcome other = run(parsed, config, &ways->options);
    assert_same(parsed, ways->how, &first, &other);
  }
}

static GpuConfig load(const char *gpu) {
  GpuConfig config;
  Error err;
  if (gpu_config_load(&config, gpu, &err) != OK) fail_msg("%s", err.text);
  return config;
}

static void nothing_changes_the_public_cases(void **state) {
  (void)state;
  glob_t paths;
  GpuConfig config = load("gtx480");
  assert_int_equal(glob("tests/reference/cases/*.case", 0, NULL, &paths), 0);
  assert_true(paths.gl_pathc >= 23);
  for (size_t i = 0; i < paths.gl_pathc; i++) {
    Case *parsed;
    Error err;
    assert_int_equal(case_read(&parsed, paths.gl_pathv[i], &err), OK);
    compare(parsed, &config, few_ways);
    case_destroy(parsed);
  }
  globfree(&paths);
}

static void nothing_changes_small_cases_on_any_gpu(void **state) {
  (void)state;
  char name[GPU_NAME_BYTES];
  for (size_t g = 0; gpu_config_shipped(g, name); g++) {
    GpuConfig config = load(name);
    for (int c = 0; c < SMALL_CASE_COUNT; c++) {
      Case *parsed;
      Error err;
      assert_int_equal(small_case_parse(&parsed, &small_cases[c], &err), OK);
      compare(parsed, &config, each_way);
      case_destroy(parsed);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_changes_the_public_cases),
      cmocka_unit_test(nothing_changes_small_cases_on_any_gpu),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
