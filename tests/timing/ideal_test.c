// SPDX-License-Identifier: MIT
// Oracles ([ideal]): every small case computes the same with each of them and is
// no slower; and each takes out what it says, and nothing else.
#include "timing/issue_log.h"
#include "timing/policy_rig.h"

#include "isa/source_places.h"

typedef struct Oracle {
  const char *name, *set;
} Oracle;

static const Oracle oracles[] = {
    {"perfect L1D", "ideal.l1d=hits"},
    {"misses answered at once", "ideal.l1d=instant"},
    {"no fixed latency", "ideal.no_fixed_latency=true"},
    {"four times the MSHRs", "ideal.l1d_mshr_factor=4"},
    {"MSHRs without a limit", "ideal.l1d_mshr_factor=0"},
    {NULL, NULL},
};

static GpuConfig config_with(const char *gpu, const char *set) {
  GpuConfig config = load(gpu, "lrr", NULL);
  Error err;
  if (gpu_config_assign(&config, set, &err) != OK) fail_msg("%s", err.text);
  return config;
}

static CaseOutcome run_one(const char *name, const GpuConfig *config) {
  Case *parsed = parse(name);
  CaseOutcome outcome = run(parsed, config, &(CaseOutcomeOptions){.gpu.threads = 1});
  case_destroy(parsed);
  return outcome;
}

static void oracles_change_no_result_and_are_never_slower(void **state) {
  (void)state;
  static const char *const gpus[] = {"tiny", "apres15", "v100"};
  for (int g = 0; g < 3; g++)
    for (int c = 0; c < SMALL_CASE_COUNT; c++) {
      GpuConfig plain = load(gpus[g], "lrr", NULL);
      CaseOutcome real = run_one(small_cases[c].name, &plain);
      for (const Oracle *oracle = oracles; oracle->name; oracle++) {
        GpuConfig config = config_with(gpus[g], oracle->set);
        CaseOutcome ideal = run_one(small_cases[c].name, &config);
        assert_memory_equal(ideal.sums, real.sums, sizeof real.sums);
        assert_int_equal(ideal.stats.sm.warp_instructions, real.stats.sm.warp_instructions);
        if (ideal.stats.cycles > real.stats.cycles)
          fail_msg("%s on %s, %s: %llu cycles, not at most %llu", small_cases[c].name, gpus[g],
                   oracle->name, (unsigned long long)ideal.stats.cycles,
                   (unsigned long long)real.stats.cycles);
      }
    }
}

// Words of --ideal. One run in a hundred may be slower by half a percent, none by two: requests
// that arrive in another order may meet others.
static void idealised_costs_change_no_result_and_cost_nothing(void **state) {
  (void)state;
  uint32_t runs = 0, slower = 0;
  static const char *const gpus[] = {"tiny", "gtx1080"};
  for (int g = 0; g < 2; g++)
    for (int c = g; c < SMALL_CASE_COUNT; c += 2) {
      GpuConfig plain = load(gpus[g], "lrr", NULL);
      CaseOutcome real = run_one(small_cases[c].name, &plain);
      for (const IdealName *ideal = ideal_names; ideal->name; ideal++) {
        Error err;
        char word[64];
        bool has_place = ideal->setting[strlen(ideal->setting) - 1] == '=';
        GpuConfig config = plain;
        snprintf(word, sizeof word, "%s%s", ideal->name, has_place ? ":all" : "");
        if (ideal_assign(&config, word, &err) != OK) fail_msg("%s", err.text);
        CaseOutcome made = run_one(small_cases[c].name, &config);
        assert_memory_equal(made.sums, real.sums, sizeof real.sums);
        runs++;
        if (made.stats.cycles * 1000 <= real.stats.cycles * 1005) continue;
        slower++;
        print_message("%s on %s, %s: %llu cycles instead of %llu\n", small_cases[c].name, gpus[g],
                      word, (unsigned long long)made.stats.cycles,
                      (unsigned long long)real.stats.cycles);
        assert_true(made.stats.cycles * 100 <= real.stats.cycles * 102);
      }
    }
  assert_true(slower * 100 <= runs);
}

static Cycle cycles_with(const char *name, const char *word) {
  GpuConfig config = load("gtx1080", "lrr", NULL);
  Error err;
  if (word && ideal_assign(&config, word, &err) != OK) fail_msg("%s", err.text);
  return run_one(name, &config).stats.cycles;
}

// Each on a case that has little but this cost.
static void each_word_removes_its_cost(void **state) {
  (void)state;
  static const struct {
    const char *name, *word;
    double most;  // of the real cycles
  } costs[] = {
      {"transpose", "coalesced:all", 0.98}, {"spmv", "load:all", 0.9}, {"histo", "atomics", 0.99},
      {"divergent", "divergence", 0.95},    {"reduce", "dram", 0.95},  {"reduce", "l2", 0.95}};
  for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
    Cycle real = cycles_with(costs[i].name, NULL),
          ideal = cycles_with(costs[i].name, costs[i].word);
    if ((double)ideal > costs[i].most * (double)real)
      fail_msg("%s, %s: %llu cycles of %llu", costs[i].name, costs[i].word,
               (unsigned long long)ideal, (unsigned long long)real);
  }
}

static void mistakes_in_words_are_reported(void **state) {
  (void)state;
  GpuConfig config = load("tiny", "lrr", NULL);
  static const struct {
    const char *word, *text;
  } wrong[] = {{"lod:42", "unknown idealisation 'lod:42'"},
               {"load", "requires a line"},
               {"l2:42", "takes no line"},
               {"load:x", "expected a line"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    Error err;
    assert_int_not_equal(ideal_assign(&config, wrong[i].word, &err), OK);
    assert_non_null(strstr(err.text, wrong[i].text));
  }
  Error err;
  assert_int_equal(ideal_assign(&config, "load:42", &err), OK);
  assert_int_equal(ideal_assign(&config, "load:a.cu:7", &err), OK);
  assert_string_equal(config.ideal.hits, "42,a.cu:7");
}

static void places_match_lines_and_ends_of_paths(void **state) {
  (void)state;
  assert_true(source_places_have("42,a.cu:7", "src/b.cu", 42));
  assert_true(source_places_have("42,a.cu:7", "src/a.cu", 7));
  assert_false(source_places_have("42,a.cu:7", "src/ba.cu", 7));
  assert_false(source_places_have("42,a.cu:7", "src/b.cu", 7));
  assert_true(source_places_have("all", "b.cu", 1));
  assert_false(source_places_have(NULL, "b.cu", 1));
}

static void a_perfect_l1d_fetches_nothing_for_loads(void **state) {
  (void)state;
  GpuConfig real = load("apres15", "lrr", NULL), ideal = config_with("apres15", "ideal.l1d=hits");
  CaseOutcome some = run_one("spmv", &real), none = run_one("spmv", &ideal);
  assert_true(some.stats.l1d.misses > none.stats.l1d.misses);
  assert_int_equal(none.stats.l1d.hits, none.stats.l1d.reads);
  assert_int_equal(none.stats.l1d.accesses, some.stats.l1d.accesses);
  assert_int_equal(none.stats.slice.lookups[REQUEST_READ], 0);
}

// The fetches are all there, lines and MSHRs are taken: only nobody waits.
static void instant_misses_still_take_line_mshr_and_bandwidth(void **state) {
  (void)state;
  GpuConfig real = load("apres15", "lrr", NULL);
  GpuConfig ideal = config_with("apres15", "ideal.l1d=instant");
  CaseOutcome waits = run_one("transpose", &real), goes_on = run_one("transpose", &ideal);
  assert_int_equal(goes_on.stats.slice.lookups[REQUEST_READ], goes_on.stats.l1d.misses -
                                                                  goes_on.stats.l1d.writes);
  assert_true(goes_on.stats.l1d.misses > goes_on.stats.l1d.writes);
  assert_true(goes_on.stats.reply_noc.bytes > 0);
  assert_true(goes_on.stats.cycles < waits.stats.cycles);
  ideal.l1d.mshrs = 1;
  CaseOutcome narrow = run_one("transpose", &ideal);
  assert_true(narrow.stats.l1d.fail_mshr > 0);
  assert_true(narrow.stats.cycles > goes_on.stats.cycles);
}

static Cycle load_cycles(const char *set) {
  static IssueLog log;
  GpuConfig config = log_config(1);
  Error err;
  if (set) log_check(gpu_config_assign(&config, set, &err), &err);
  log_run(&log, &config, 1, 32,
          "ld.global.u32 %r1, [%rd0];  // load\nadd.u32 %r2, %r1, 1;  // use\n");
  return (Cycle)log_gap(&log, "load", "use");
}

static void a_load_waits_for_what_is_left(void **state) {
  (void)state;
  GpuConfig config = log_config(1);
  Cycle fixed = config.partition.rop_latency_cycles + config.partition.dram_latency_cycles;
  Cycle real = load_cycles(NULL), hit = load_cycles("ideal.l1d=hits");
  assert_in_range(real - load_cycles("ideal.no_fixed_latency=true"), fixed - 4, fixed + 4);
  assert_true(hit < 60);
  assert_int_equal(load_cycles("ideal.l1d=instant"), hit);
  assert_int_equal(load_cycles("ideal.l1d_mshr_factor=0"), real);
}

static void mshrs_grow_by_the_factor_or_without_a_limit(void **state) {
  (void)state;
  GpuConfig config = load("apres15", "lrr", NULL);
  assert_int_equal(ideal_l1d(&config.ideal, &config.l1d).mshrs, 64);
  config.ideal.l1d_mshr_factor = 4;
  assert_int_equal(ideal_l1d(&config.ideal, &config.l1d).mshrs, 256);
  config.ideal.l1d_mshr_factor = 0;  // 32 KB have 256 lines
  assert_int_equal(ideal_l1d(&config.ideal, &config.l1d).mshrs, 256);
  assert_int_equal(ideal_l1d(&config.ideal, &config.l1d).mshr_merges, CACHE_MAX_WAITERS / 256);
  config.l1d.mshrs = 60000;
  config.ideal.l1d_mshr_factor = 1000;
  assert_int_equal(ideal_l1d(&config.ideal, &config.l1d).mshrs, 65536);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(oracles_change_no_result_and_are_never_slower),
      cmocka_unit_test(idealised_costs_change_no_result_and_cost_nothing),
      cmocka_unit_test(each_word_removes_its_cost),
      cmocka_unit_test(mistakes_in_words_are_reported),
      cmocka_unit_test(places_match_lines_and_ends_of_paths),
      cmocka_unit_test(a_perfect_l1d_fetches_nothing_for_loads),
      cmocka_unit_test(instant_misses_still_take_line_mshr_and_bandwidth),
      cmocka_unit_test(a_load_waits_for_what_is_left),
      cmocka_unit_test(mshrs_grow_by_the_factor_or_without_a_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
