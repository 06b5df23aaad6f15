// SPDX-License-Identifier: MIT
// Figure 6 of Oh et al. (ISCA 2016) in cycles: eight warps of a CTA load lines that follow
// one another, one warp some time after the other. laws and sap fetch for the
// later ones when the third misses: then the stride is known.
#include "gpu/config/scheme.h"
#include "timing/issue_log.h"

// LINE_CYCLES: in which a memory that has opened its row answers another line.
enum { WARPS = 8, FIRST_FETCHED = 3, FETCHED = WARPS - FIRST_FETCHED, LINE_CYCLES = 6 };

static IssueLog issues;

// Warp w counts down from w * rounds, about 20 cycles each, before it loads.
#define STREAM(rounds)                                                    \
  "shr.u32 %r4, %r0, 5;\nmul.lo.u32 %r4, %r4, " #rounds ";\n"             \
  "wait:\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra go;\n"                       \
  "sub.u32 %r4, %r4, 1;\nbra wait;\ngo:\n"                                \
  "mul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd1, %rd0, %rd1;\n"               \
  "ld.global.u32 %r1, [%rd1];  // load\nadd.u32 %r2, %r1, 1;  // use\n"

typedef struct Stream {
  Cycle load[WARPS], use[WARPS];
  PrefetchStats prefetch;
} Stream;

static Stream run(const char *scheme_text, const char *body) {
  GpuConfig config;
  Scheme scheme;
  Error err;
  log_check(gpu_config_load(&config, "apres15", &err), &err);
  config.gpu.sm_count = 1;
  config.l1i.enabled = config.l1c.enabled = false;
  log_check(scheme_parse(&scheme, scheme_text, NULL, &err), &err);
  scheme_apply(&scheme, &config);
  log_run(&issues, &config, 1, 32 * WARPS, body);
  Stream stream = {.prefetch = issues.stats.prefetch};
  for (uint32_t w = 0; w < WARPS; w++) {
    stream.load[w] = log_issue(&issues, "load", w, 0);
    stream.use[w] = log_issue(&issues, "use", w, 0);
  }
  return stream;
}

// About 80 cycles from warp to warp. All five lines come right behind the one
// that led to them, long before those that the warps ask for themselves.
static void a_load_that_meets_a_prefetch_waits_no_longer_than_it(void **state) {
  (void)state;
  Stream alone = run("laws", STREAM(4)), ahead = run("apres", STREAM(4));
  assert_int_equal(alone.prefetch.candidates, 0);
  assert_int_equal(ahead.prefetch.fetches, FETCHED);
  assert_int_equal(ahead.prefetch.late, FETCHED);
  for (uint32_t w = 0; w < WARPS; w++) assert_int_equal(ahead.load[w], alone.load[w]);
  for (uint32_t w = 0; w < FIRST_FETCHED; w++) assert_int_equal(ahead.use[w], alone.use[w]);
  Cycle trigger = ahead.use[FIRST_FETCHED - 1];
  for (uint32_t w = FIRST_FETCHED; w < WARPS; w++) {
    assert_in_range(alone.use[w] - alone.load[w], 438, 448);
    assert_in_range(ahead.use[w], trigger + 1, trigger + FETCHED * LINE_CYCLES);
  }
  assert_int_equal(ahead.use[WARPS - 1] - ahead.load[WARPS - 1], 60);
}

// About 240 cycles: the second warp that was fetched for, and all after it,
// find their lines.
static void a_load_behind_its_prefetch_hits(void **state) {
  (void)state;
  Stream ahead = run("apres", STREAM(12));
  assert_int_equal(ahead.prefetch.fetches, FETCHED);
  assert_int_equal(ahead.prefetch.late, 1);
  assert_int_equal(ahead.prefetch.used, FETCHED - 1);
  for (uint32_t w = FIRST_FETCHED + 1; w < WARPS; w++)
    assert_int_equal(ahead.use[w] - ahead.load[w], 5);
}

// Warps that come together have executed the load before they could be fetched
// for: nothing is asked for, nothing won, and nothing lost.
static void warps_that_come_together_gain_nothing(void **state) {
  (void)state;
  Stream alone = run("laws", STREAM(0)), ahead = run("apres", STREAM(0));
  assert_int_equal(ahead.prefetch.candidates, 0);
  assert_memory_equal(ahead.use, alone.use, sizeof alone.use);
}

// str does not know who has issued the load. What it asks for waits behind the
// lookups of the warps that it is for, and is given up as these come.
static void a_candidate_is_given_up_when_its_warp_loads(void **state) {
  (void)state;
  Stream alone = run("lrr", STREAM(0)), ahead = run("lrr + str", STREAM(0));
  const PrefetchStats *prefetch = &ahead.prefetch;
  assert_true(prefetch->stale > 0);
  assert_int_equal(prefetch->stale + prefetch->present + prefetch->fetches, prefetch->candidates);
  assert_int_equal(prefetch->fetches, 0);
  assert_memory_equal(ahead.use, alone.use, sizeof alone.use);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_load_that_meets_a_prefetch_waits_no_longer_than_it),
      cmocka_unit_test(a_load_behind_its_prefetch_hits),
      cmocka_unit_test(warps_that_come_together_gain_nothing),
      cmocka_unit_test(a_candidate_is_given_up_when_its_warp_loads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
