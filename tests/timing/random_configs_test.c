// SPDX-License-Identifier: MIT
// A hundred random machines, most of them absurd: tiny caches, one MSHR,
// queues of one entry, clocks that do not fit. Every small case runs on each of
// them to the sums that it has without timing, and the counters are the same
// with skipping and without. A machine that cannot work is refused with a
// reason, which is no failure.
//
//   random_configs_test             the hundred
//   random_configs_test FIRST LAST  other seeds, to look for more
#include "unit/cmocka_all.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/config/scheme.h"
#include "policies/prefetch/prefetch.h"
#include "policies/registry.h"
#include "policies/shared/shared.h"
#include "policies/warp_scheduler/warp_scheduler.h"
#include "timing/small_cases.h"

// What may be changed, and to what; machines keep about half of their knobs.
static const struct Knob {
  const char *key, *values;
} knobs[] = {
    {"gpu.sms_per_cluster", "1 2 3"},
    {"gpu.core_clock_mhz", "700 100 1537 2000"},
    {"gpu.noc_clock_mhz", "0 350 700 1400"},
    {"gpu.l2_clock_mhz", "0 350 700 1400 333"},
    {"gpu.dram_clock_mhz", "0 100 924 3001"},
    {"gpu.channels", "1 2 4 3"},
    {"gpu.slices_per_channel", "1 2 4"},
    {"gpu.cluster_response_entries", "1 2 32"},
    {"gpu.cluster_order", "fixed turns"},
    {"gpu.flush_l1_when_idle", "true false"},
    {"gpu.flush_l2_between_kernels", "true false"},
    {"gpu.spread_small_grids", "true false"},
    {"sm.prefetch_entries", "1 2 32"},
    {"sm.max_warps", "8 16 47 64"},
    {"sm.max_ctas", "1 2 3 64"},
    {"sm.warp_slots", "fixed dynamic rotated"},
    {"sm.unified_kb", "0 64 128"},
    {"sm.shared_options_kb", "48 0,8,48 0,16,32,63"},
    {"sm.instruction_bytes", "4 8 16"},
    {"sm.buffer_entries", "1 2 3 8"},
    {"sm.warp_schedulers", "1 2 3 4 8"},
    {"sm.issues_per_warp", "1 2"},
    {"sm.dual_issue_different_units", "true false"},
    {"sm.atomic_ignores_address", "true false"},
    {"sm.bank_rule", "name register"},
    {"sm.sub_cores", "false true"},
    {"sm.fetches_per_cycle", "1 2 4"},
    {"sm.int_takes_simple", "true false"},
    {"sm.register_ports", "1 2 3"},
    {"sm.general_collectors", "0 0 1 8 24 64"},
    {"sm.register_banks", "1 3 16 24 64"},
    {"sm.sp_collectors", "1 2 6 64"},
    {"sm.sfu_collectors", "1 3"},
    {"sm.mem_collectors", "1 2 9"},
    {"sm.dp_collectors", "1 4"},
    {"sm.int_collectors", "1 4"},
    {"sm.dp_ports", "1 2"},
    {"sm.int_ports", "1 2"},
    {"sm.dp_units", "0 1 2"},
    {"sm.int_units", "0 1 4"},
    {"sm.l1_parts", "1 2"},
    {"sm.sp_ports", "1 2 4 16"},
    {"sm.sfu_ports", "1 2"},
    {"sm.mem_ports", "1 3"},
    {"sm.sp_units", "1 2 4 16"},
    {"sm.sfu_units", "1 2 16"},
    {"sm.result_buses", "1 2 16"},
    {"sm.coalesce", "fermi kepler sector"},
    {"sm.l1_caches_global", "true false"},
    {"sm.l1_accesses_per_cycle", "1 2 8"},
    {"sm.l1_latency_cycles", "1 2 35 200"},
    {"sm.shared_latency_cycles", "1 2 26"},
    {"sm.shared_banks", "1 5 16 32 64"},
    {"sm.shared_bank_bytes", "4 8"},
    {"sm.response_entries", "1 2 64"},
    {"sm.fence_invalidates_l1", "true false"},
    {"latency.int_add", "1 4 1000"},
    {"latency.fp_fma", "1 7"},
    {"latency.simple", "5 13"},
    {"latency.simple_interval", "1 5"},
    {"latency.sfu", "8 100"},
    {"latency.sfu_interval", "1 8"},
    {"l1d.enabled", "true false"},
    {"l1d.size_kb", "0 0 0 1 16 48"},
    {"l1d.sets", "1 2 3 32 64"},
    {"l1d.ways", "1 2 5"},
    {"l1d.line_bytes", "32 64 128 256"},
    {"l1d.sectored", "true false"},
    {"l1d.write_policy", "evict through back local_back_global_through"},
    {"l1d.allocate", "on_miss on_miss on_fill streaming"},
    {"l1d.write_allocate", "no no no fetch lazy"},
    {"l1d.index_hash", "linear linear fermi xor ipoly"},
    {"l1d.mshrs", "1 2 64"},
    {"l1d.mshr_merges", "1 2 8"},
    {"l1d.miss_queue", "2 2 3 8 1"},
    {"l1d.miss_queue_reserve", "0 0 1"},
    {"l1i.enabled", "true true false"},
    {"l1i.sets", "1 3 4"},
    {"l1i.ways", "1 4"},
    {"l1i.line_bytes", "32 64 128 256"},
    {"l1i.sectored", "true false false"},
    {"l1i.mshrs", "1 2 8"},
    {"l1i.mshr_merges", "1 32"},
    {"l1i.miss_queue", "1 4"},
    {"l1i.allocate", "on_miss on_fill"},
    {"l1c.enabled", "true true false"},
    {"l1c.sets", "1 64"},
    {"l1c.ways", "1 2"},
    {"l1c.line_bytes", "32 64 128 256"},
    {"l1c.sectored", "true false false"},
    {"l1c.mshrs", "1 2"},
    {"l1c.mshr_merges", "1 32"},
    {"l1c.miss_queue", "1 4"},
    {"l1c.allocate", "on_miss on_fill"},
    {"l2.enabled", "true true false"},
    {"l2.sets", "1 2 64"},
    {"l2.ways", "1 2 8"},
    {"l2.line_bytes", "32 64 128 256"},
    {"l2.sectored", "true false"},
    {"l2.write_policy", "back back through evict"},
    {"l2.allocate", "on_miss on_miss on_miss on_fill"},
    {"l2.write_allocate", "no fetch lazy"},
    {"l2.index_hash", "linear xor ipoly"},
    {"l2.replacement", "lru fifo random"},
    {"l2.mshrs", "1 2 256"},
    {"l2.mshr_merges", "1 2 4"},
    {"l2.miss_queue", "2 2 4 1"},
    {"l2.miss_queue_reserve", "0 0 1"},
    {"noc.flit_bytes", "32 40 64 200 8"},
    {"noc.injection_flits", "9 33 40 40"},
    {"noc.input_buffer_flits", "1 2 64"},
    {"noc.ejection_flits", "16 33 64"},
    {"noc.speedup", "1 2 3"},
    {"noc.latency_cycles", "4 6 20"},
    {"noc.output_buffer_flits", "0 1 64"},
    {"partition.rop_latency_cycles", "0 1 120"},
    {"partition.l2_input_queue", "1 2 64"},
    {"partition.l2_input_reserve", "1 4"},
    {"partition.l2_output_queue", "1 2 64"},
    {"partition.l2_to_dram_queue", "1 2 64"},
    {"partition.dram_to_l2_queue", "1 2 64"},
    {"partition.l2_port_bytes", "1 16 32 128"},
    {"partition.dram_latency_cycles", "0 1 100"},
    {"partition.dram_shared_credits", "1 2 179"},
    {"partition.dram_private_credits", "0 1"},
    {"partition.split_sectors", "true false"},
    {"partition.upper_half_writes_partial", "true false"},
    {"dram.banks", "4 8 16"},
    {"dram.bank_groups", "1 2 4"},
    {"dram.bank_group_bits", "low high"},
    {"dram.row_bytes", "1024 4096"},
    {"dram.command_bytes", "32 64 256"},
    {"dram.queue_entries", "1 2 64"},
    {"dram.write_queue_entries", "0 32 64"},
    {"dram.write_high", "1 4 28 32"},
    {"dram.write_low", "0 1 1"},
    {"dram.return_entries", "1 2 116"},
    {"dram.ccd", "2 2 2 4 1"},
    {"dram.ccdl", "0 3 9"},
    {"dram.rrd", "0 6"},
    {"dram.rcd", "0 12"},
    {"dram.rcd_write", "0 7 20"},
    {"dram.ras", "0 28"},
    {"dram.rp", "0 12"},
    {"dram.rc", "0 40"},
    {"dram.cl", "0 12"},
    {"dram.wl", "0 4 20"},
    {"dram.cdlr", "0 5"},
    {"dram.wr", "0 12 40"},
    {"dram.rtpl", "0 2 9"},
    {"dram.burst_ticks", "0 1 2"},
    {"dram.dual_bus", "true false"},
    {"dram.scan_jumps", "true false"},
};
enum { MACHINES_WANTED = 100, STEPPED_EVERY = 8 };
enum { KNOB_COUNT = sizeof knobs / sizeof *knobs, DESCRIPTION_BYTES = 16384 };

// What is being tried, for whoever has to look into it.
static char description[DESCRIPTION_BYTES];

static void tell(const char *what) {
  fprintf(stderr, "%s\n%s\n", what, description);
}

static void on_abort(int number) {
  (void)number;
  tell("an assertion failed on:");
  _exit(3);
}

static uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state >> 11;
}

// One of the words.
static void choose(uint64_t *random, const char *words, char *out, size_t size) {
  size_t count = 1, length;
  for (const char *c = words; *c; c++) count += *c == ' ';
  for (uint64_t skip = next_random(random) % count; skip--;) words = strchr(words, ' ') + 1;
  length = strcspn(words, " ");
  snprintf(out, size, "%.*s", (int)length, words);
}

static Status set(GpuConfig *config, const char *key, const char *value, Error *err) {
  char assignment[160];
  size_t used = strlen(description);
  snprintf(assignment, sizeof assignment, "%s=%s", key, value);
  snprintf(description + used, DESCRIPTION_BYTES - used, " --set %s", assignment);
  return gpu_config_assign(config, assignment, err);
}

// Where the policy of a family stands in a configuration; NULL: it is no choice.
static const char *key_of(const PolicyFamily *family) {
  if (family == &shared_family) return NULL;  // made by the policies that work on it
#define X(each, field) \
  if (strcmp(family->name, #each) == 0) return #field;
  SCHEME_FAMILY_LIST(X)
#undef X
  fail_msg("no key for the family %s", family->name);
  return NULL;
}

// Of each family, now and then, any policy that there is.
static Status draw_policies(GpuConfig *config, uint64_t *random, uint64_t changed_percent,
                            Error *err) {
  for (const PolicyFamily *const *family = policy_families; *family; family++) {
    size_t count = 0;
    while (policy_at(*family, NULL, count)) count++;
    if (!key_of(*family) || next_random(random) % 100 >= changed_percent) continue;
    const PolicyType *type = policy_at(*family, NULL, next_random(random) % count);
    TRY(set(config, key_of(*family), type->name, err));
  }
  return OK;
}

// Some machines keep nearly all of their knobs, others hardly any.
static Status draw_config(GpuConfig *config, uint64_t seed, Error *err) {
  uint64_t random = seed * 0x9e3779b97f4a7c15u + 1;
  uint64_t changed_percent = 5 + next_random(&random) % 60;
  char value[64];
  snprintf(description, DESCRIPTION_BYTES, "seed %llu:", (unsigned long long)seed);
  TRY(gpu_config_load(config, "gtx480", err));
  choose(&random, "1 2 3", value, sizeof value);
  TRY(set(config, "gpu.sm_count", value, err));
  TRY(set(config, "gpu.address_map", "interleave", err));
  TRY(set(config, "gpu.deadlock_cycles", "300000", err));
  TRY(set(config, "l1d.index_hash", "linear", err));
  for (int k = 0; k < KNOB_COUNT; k++) {
    if (next_random(&random) % 100 >= changed_percent) continue;
    choose(&random, knobs[k].values, value, sizeof value);
    TRY(set(config, knobs[k].key, value, err));
  }
  return draw_policies(config, &random, changed_percent, err);
}

typedef struct Suite {
  Case *cases[SMALL_CASE_COUNT];
  CaseOutcome wanted[SMALL_CASE_COUNT];
} Suite;

static void suite_init(Suite *suite) {
  Error err;
  GpuConfig config;
  const CaseOutcomeOptions functional = {.functional = true};
  assert_int_equal(gpu_config_load(&config, "gtx480", &err), OK);
  for (int c = 0; c < SMALL_CASE_COUNT; c++) {
    if (small_case_parse(&suite->cases[c], &small_cases[c], &err) != OK ||
        case_outcome_run(&suite->wanted[c], suite->cases[c], &config, &functional, &err) != OK)
      fail_msg("%s: %s", small_cases[c].name, err.text);
    assert_true(suite->wanted[c].sum_count >= 1);
  }
}

static void suite_clear(Suite *suite) {
  for (int c = 0; c < SMALL_CASE_COUNT; c++) case_destroy(suite->cases[c]);
}

static bool same_sums(const CaseOutcome *a, const CaseOutcome *b) {
  return a->sum_count == b->sum_count && memcmp(a->sums, b->sums, sizeof a->sums) == 0;
}

static bool runs(const Suite *suite, int c, const GpuConfig *config, bool no_skip,
                 CaseOutcome *outcome) {
  Error err;
  CaseOutcomeOptions options = {.gpu.no_skip = no_skip};
  Status status = case_outcome_run(outcome, suite->cases[c], config, &options, &err);
  if (status == OK && same_sums(outcome, &suite->wanted[c])) return true;
  fprintf(stderr, "%s%s: %s\n", small_cases[c].name, no_skip ? " --no-skip" : "",
          status == OK ? "the sums are wrong" : err.text);
  tell("the machine:");
  return false;
}

static const char *first_difference(const MachineStats *a, const MachineStats *b) {
  for (const StatsPart *part = machine_stats_parts; part->prefix; part++)
    for (const Stat *stat = part->table; stat->name; stat++)
      if (!stat->is_ratio && stat_count(stat, (const char *)a + part->offset) !=
                                 stat_count(stat, (const char *)b + part->offset))
        return stat->name;
  return "a counter without a name";
}

// All cases; some of them also without skipping.
static int failures_on(const Suite *suite, const GpuConfig *config, uint64_t seed) {
  int failures = 0;
  for (int c = 0; c < SMALL_CASE_COUNT; c++) {
    CaseOutcome outcome, stepped;
    bool ran = runs(suite, c, config, false, &outcome);
    if (ran && seed % STEPPED_EVERY == (uint64_t)c % STEPPED_EVERY)
      ran = runs(suite, c, config, true, &stepped);
    else
      stepped = outcome;
    if (ran && memcmp(&outcome.stats, &stepped.stats, sizeof stepped.stats) != 0) {
      fprintf(stderr, "%s: skipping changes %s\n", small_cases[c].name,
              first_difference(&outcome.stats, &stepped.stats));
      tell("the machine:");
      ran = false;
    }
    failures += !ran;
  }
  return failures;
}

// Refusals say what is wrong; anything else must work.
static bool is_accepted(const GpuConfig *config) {
  Gpu *gpu;
  Error err = {0};
  Status status = gpu_create(&gpu, config, NULL, &err);
  if (status == OK) {
    gpu_destroy(gpu);
    return true;
  }
  assert_int_equal(status, ERR_CONFIG);
  assert_true(strlen(err.text) > 20);
  if (getenv("SHOW_REFUSALS")) fprintf(stderr, "refused: %s\n", err.text);
  return false;
}

static uint64_t first_seed = 1, last_seed = 0;  // 0: until a hundred have run

static void random_machines_run_every_case_to_the_same_sums(void **state) {
  (void)state;
  Suite suite;
  suite_init(&suite);
  int machines = 0, failures = 0;
  uint64_t seed = first_seed;
  for (; last_seed ? seed <= last_seed : machines < MACHINES_WANTED; seed++) {
    GpuConfig config;
    Error err;
    assert_int_equal(draw_config(&config, seed, &err), OK);
    if (!is_accepted(&config)) continue;
    failures += failures_on(&suite, &config, seed);
    machines++;
  }
  suite_clear(&suite);
  fprintf(stderr, "%d machines ran, %d were refused\n", machines,
          (int)(seed - first_seed) - machines);
  assert_int_equal(failures, 0);
}

// Every warp scheduler with every prefetcher, under a throttle that changes and
// with two kernels at once, on a machine with two schedulers per SM.
static void every_scheduler_goes_with_every_prefetcher(void **state) {
  (void)state;
  static const char *const throttles[] = {"all", "fixed:ctas=1", "sampled:memory_bound=0",
                                          "fixed:ctas=2", "dyncta"};
  Suite suite;
  int failures = 0, pairs = 0;
  suite_init(&suite);
  for (size_t w = 0; policy_at(&warp_scheduler_family, NULL, w); w++)
    for (size_t p = 0; policy_at(&prefetch_family, NULL, p); p++, pairs++) {
      GpuConfig config;
      Error err;
      description[0] = '\0';
      assert_int_equal(gpu_config_load(&config, "tiny", &err), OK);
      assert_int_equal(set(&config, "sm.warp_schedulers", "2", &err), OK);
      assert_int_equal(set(&config, "policy.warp_scheduler",
                           policy_at(&warp_scheduler_family, NULL, w)->name, &err),
                       OK);
      assert_int_equal(
          set(&config, "policy.prefetch", policy_at(&prefetch_family, NULL, p)->name, &err), OK);
      assert_int_equal(set(&config, "policy.throttle", throttles[(w + p) % 5], &err), OK);
      for (int c = 0; c < SMALL_CASE_COUNT; c++) {
        bool is_wanted = strcmp(small_cases[c].name, "two_kernels") == 0 ||
                         strcmp(small_cases[c].name, "spmv") == 0;
        CaseOutcome skipped, stepped;
        if (!is_wanted) continue;
        bool ran = runs(&suite, c, &config, false, &skipped) &&
                   runs(&suite, c, &config, true, &stepped) &&
                   memcmp(&skipped.stats, &stepped.stats, sizeof skipped.stats) == 0;
        failures += !ran;
      }
    }
  suite_clear(&suite);
  assert_true(pairs >= 35);
  assert_int_equal(failures, 0);
}

int main(int argc, char **argv) {
  if (argc > 2) {
    first_seed = strtoull(argv[1], NULL, 10);
    last_seed = strtoull(argv[2], NULL, 10);
  }
  signal(SIGABRT, on_abort);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_machines_run_every_case_to_the_same_sums),
      cmocka_unit_test(every_scheduler_goes_with_every_prefetcher),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
