// SPDX-License-Identifier: MIT
// Orders of the warp schedulers by worked examples, and what all of them owe.
#include "policies/warp_scheduler/warp_scheduler.h"

#include <string.h>

#include "unit/policy_support.h"

enum { WARPS = 64 };

typedef struct Bench {
  const WarpSchedulerType *type;
  void *state;
  uint64_t age[WARPS];
  IssueView view;
} Bench;

// Warp w is the (w + 1)th that was launched, unless the test says otherwise.
static void bench_init(Bench *bench, const char *spec) {
  memset(bench, 0, sizeof *bench);
  policy_bench_forget_shared();
  bench->type =
      (const WarpSchedulerType *)policy_bench_make(&warp_scheduler_family, spec, &bench->state);
  for (uint64_t w = 0; w < WARPS; w++) bench->age[w] = w;
  bench->view = (IssueView){.resident = UINT64_MAX, .age = bench->age, .scheduler_count = 1};
}

// Asks among the candidates, and lets the answer issue, if there is one.
static int issue(Bench *bench, uint64_t candidates) {
  bench->view.candidates = candidates;
  bench->view.now++;
  int warp = warp_scheduler_pick(bench->type, bench->state, &bench->view);
  if (warp != ISSUE_NONE && bench->type->on_issue)
    bench->type->on_issue(bench->state, &bench->view, warp);
  return warp;
}

static void place_warp(Bench *bench, int warp, bool begins) {
  Requester requester = {.warp = (uint8_t)warp};
  if (bench->type->on_warp) bench->type->on_warp(bench->state, &requester, begins);
}

static void wait_for_memory(Bench *bench, int warp, bool begins) {
  uint64_t bit = UINT64_C(1) << warp;
  uint64_t waiting = bench->view.waiting_memory;
  bench->view.waiting_memory = begins ? waiting | bit : waiting & ~bit;
  if (bench->type->on_long_wait) bench->type->on_long_wait(bench->state, warp, begins);
}

static void lrr_goes_round_and_passes_over_those_that_cannot(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "lrr");
  assert_int_equal(issue(&bench, 0x6), 1);
  assert_int_equal(issue(&bench, 0xf), 2);
  assert_int_equal(issue(&bench, 0xf), 3);
  assert_int_equal(issue(&bench, 0xf), 0);  // round
  assert_int_equal(issue(&bench, 0x9), 3);  // 1 and 2 cannot
  assert_int_equal(issue(&bench, 0x8), 3);  // alone
  assert_int_equal(issue(&bench, 1ull << 63 | 1), 63);
  assert_int_equal(issue(&bench, UINT64_MAX), 0);
}

static void asking_again_without_an_issue_changes_nothing(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "lrr");
  bench.view.candidates = 0xe;
  for (int i = 0; i < 3; i++)
    assert_int_equal(warp_scheduler_pick(bench.type, bench.state, &bench.view), 1);
}

static void gto_stays_then_takes_the_oldest(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "gto");
  assert_int_equal(issue(&bench, 0xe), 1);  // warp 0 not ready; warp 1 is the oldest
  assert_int_equal(issue(&bench, 0xf), 1);  // greedy
  assert_int_equal(issue(&bench, 0xd), 0);  // warp 1 stalled; the oldest
  assert_int_equal(issue(&bench, 0xc), 2);
  assert_int_equal(issue(&bench, 0xf), 2);  // greedy, though older ones are back
}

static void gty_stays_then_takes_the_youngest(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "gty");
  assert_int_equal(issue(&bench, 0x7), 2);  // warp 3 not ready; warp 2 is the youngest
  assert_int_equal(issue(&bench, 0xf), 2);  // greedy
  assert_int_equal(issue(&bench, 0xb), 3);
  bench.age[0] = 40;  // slot 0 was given to a CTA that came late
  assert_int_equal(issue(&bench, 0x7), 0);
}

static void gto_goes_by_age_not_by_slot(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "gto");
  bench.age[3] = 0, bench.age[0] = 40;  // slot 0 was given to a CTA that came late
  assert_int_equal(issue(&bench, 0xb), 3);
  assert_int_equal(issue(&bench, 0x3), 1);
  assert_int_equal(issue(&bench, 0x1), 0);
}

static void two_level_lets_only_active_warps_compete(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "two_level:active_warps=2");
  bench.view.resident = 0xf;
  // 0 and 1, the oldest, are active and take turns.
  assert_int_equal(issue(&bench, 0xf), 1);
  assert_int_equal(issue(&bench, 0xf), 0);
  assert_int_equal(issue(&bench, 0xf), 1);
  // 1 loads and leaves its place to 2, which stays when 1 is back.
  wait_for_memory(&bench, 1, true);
  assert_int_equal(issue(&bench, 0xd), 2);
  wait_for_memory(&bench, 1, false);
  assert_int_equal(issue(&bench, 0xf), 0);
  assert_int_equal(issue(&bench, 0xf), 2);
  // The active ones cannot: a pending one uses the slot.
  assert_int_equal(issue(&bench, 0xa), 3);
  // 0 ends: the oldest pending warp, 1, gets its place.
  bench.view.resident = 0xe;
  assert_int_equal(issue(&bench, 0xe), 1);
  assert_int_equal(issue(&bench, 0xe), 2);
  assert_int_equal(issue(&bench, 0xe), 1);
}

static void pa_stays_with_a_group_of_every_other_warp(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "pa:group_warps=2");
  bench.view.resident = 0xf;  // groups 0 and 2, 1 and 3
  assert_int_equal(issue(&bench, 0xf), 2);
  assert_int_equal(issue(&bench, 0xf), 0);
  // Warps 0 and 2 cannot: 1 and 3 use the slot, and leave the first group its place.
  assert_int_equal(issue(&bench, 0xa), 1);
  assert_int_equal(issue(&bench, 0xf), 2);
  // When both wait for memory, the other group is first, and stays so.
  wait_for_memory(&bench, 0, true);
  wait_for_memory(&bench, 2, true);
  assert_int_equal(issue(&bench, 0xa), 3);
  wait_for_memory(&bench, 0, false);
  wait_for_memory(&bench, 2, false);
  assert_int_equal(issue(&bench, 0xf), 1);
  assert_int_equal(issue(&bench, 0xf), 3);
}

static void pa_numbers_the_warps_of_its_scheduler(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "pa:group_warps=2");
  bench.view.scheduler = 1, bench.view.scheduler_count = 2;
  bench.view.resident = 0xaa;  // slots 1, 3, 5, 7: groups 1 and 5, 3 and 7
  assert_int_equal(issue(&bench, 0xaa), 1);
  assert_int_equal(issue(&bench, 0xaa), 5);
  assert_int_equal(issue(&bench, 0xaa), 1);
}

static void mascar_lets_one_warp_access_saturated_memory(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "mascar:mshrs=4,queue=2");
  bench.view.l1d_mshrs_free = 5, bench.view.l1d_queue_free = 3;
  bench.view.accesses = 0x7;  // warps 0 to 2 are about to load, 3 computes
  assert_int_equal(issue(&bench, 0xf), 1);
  assert_int_equal(issue(&bench, 0xf), 2);
  assert_int_equal(issue(&bench, 0xf), 0);  // all of them before 3
  bench.view.l1d_mshrs_free = 4;            // saturated: those that compute go first
  assert_int_equal(issue(&bench, 0xf), 3);
  assert_int_equal(issue(&bench, 0x6), 1);  // 1, the oldest that can, becomes the owner
  assert_int_equal(issue(&bench, 0x7), 1);  // and stays, though 0 is older
  assert_int_equal(issue(&bench, 0x5), ISSUE_NONE);  // 1 waits for a result, not for memory
  wait_for_memory(&bench, 1, true);
  assert_int_equal(issue(&bench, 0x5), 0);  // now it does
  bench.view.l1d_mshrs_free = 64, bench.view.l1d_queue_free = 2;
  assert_int_equal(issue(&bench, 0x4), ISSUE_NONE);  // the queue saturates as well
  bench.view.l1d_queue_free = 3;
  assert_int_equal(issue(&bench, 0x4), 2);
}

static void look_up(Bench *bench, uint32_t warp, uint64_t line, Outcome outcome) {
  const L1dAccess access = {.now = bench->view.now,
                            .requester.warp = (uint8_t)warp,
                            .line = line,
                            .line_bytes = 128,
                            .outcome = (uint8_t)outcome};
  bench->type->on_access(bench->state, &access);
}

// Four warps of score 100 stack up to 400, the cutoff.
static void mascars_owner_gives_up_its_right_at_a_barrier(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "mascar:mshrs=4,queue=2");
  bench.view.accesses = 0x3;  // both are about to access; memory is saturated
  bench.view.l1d_mshrs_free = 0;
  assert_int_equal(issue(&bench, 0x3), 0);
  assert_int_equal(issue(&bench, 0x2), ISSUE_NONE);  // warp 0 owns, and only computes
  bench.view.at_barrier = 0x1;
  assert_int_equal(issue(&bench, 0x2), 1);  // else both would wait for ever
}

static void ccws_bars_loads_above_the_cutoff(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "ccws");
  for (int w = 0; w < 4; w++) place_warp(&bench, w, true);
  bench.view.resident = 0xf;
  for (int i = 0; i < 16; i++) assert_int_equal(issue(&bench, 0xf), 0);  // greedy
  bench.view.loads = 0xf;
  bench.type->on_evict(bench.state, 2, 1024);
  look_up(&bench, 1, 1024, OUTCOME_MISS);  // not a line that warp 1 lost
  look_up(&bench, 2, 2048, OUTCOME_MISS);
  assert_int_equal(issue(&bench, 0xe), 1);
  look_up(&bench, 2, 1024, OUTCOME_MISS);  // 8 * 1 / 17 * 400 = 188
  assert_int_equal(issue(&bench, 0x8), ISSUE_NONE);  // 188 + 100 + 100: no room for 3
  assert_int_equal(issue(&bench, 0xe), 1);
  bench.view.loads = 0;
  assert_int_equal(issue(&bench, 0x8), 3);  // which may do all but load
  bench.view.loads = 0xf;
  bench.view.now += 100;  // the score has fallen to the base
  assert_int_equal(issue(&bench, 0x8), 3);
}

static void ccws_keeps_so_many_victim_tags_a_warp(void **state) {
  (void)state;
  Bench bench;
  for (uint64_t others = 1; others <= 2; others++) {
    bench_init(&bench, "ccws:victim_tags=2,throttle=1000");
    for (int w = 0; w < 2; w++) place_warp(&bench, w, true);
    issue(&bench, 0x3);
    bench.type->on_evict(bench.state, 1, 128);
    for (uint64_t i = 0; i < others; i++) bench.type->on_evict(bench.state, 1, 1280 + 128 * i);
    look_up(&bench, 1, 128, OUTCOME_MISS);
    bench.view.loads = 0x1;
    assert_int_equal(issue(&bench, 0x1), others == 1 ? ISSUE_NONE : 0);
  }
}

static uint64_t next_random(uint64_t *random) {
  *random = *random * 6364136223846793005u + 1442695040888963407u;
  return *random >> 11;
}

// Warps with so many instructions each, stalled at random; returns a digest of
// the order, so that two runs can be compared.
static uint64_t drain(const char *spec, uint64_t seed) {
  enum { MINE = 24, INSTRUCTIONS = 40 };
  Bench bench;
  bench_init(&bench, spec);
  int left[MINE];
  for (int w = 0; w < MINE; w++) left[w] = INSTRUCTIONS;
  for (int w = 0; w < MINE; w++) place_warp(&bench, w, true);
  uint64_t resident = (1u << MINE) - 1, digest = 0, random = seed;
  for (int cycle = 0; resident; cycle++) {
    if (cycle > 100 * MINE * INSTRUCTIONS) fail_msg("%s starves a warp", spec);
    bench.view.resident = resident;
    uint64_t candidates = resident & next_random(&random);
    if (!candidates) continue;
    int warp = issue(&bench, candidates);
    digest = digest * 31 + (uint64_t)warp;
    if (next_random(&random) % 8 == 0) {
      wait_for_memory(&bench, warp, true);
      wait_for_memory(&bench, warp, false);
    }
    if (--left[warp]) continue;
    resident &= ~(UINT64_C(1) << warp);
    place_warp(&bench, warp, false);
  }
  return digest;
}

static void every_scheduler_serves_all_warps_and_repeats_itself(void **state) {
  (void)state;
  for (const PolicyType *const *type = warp_scheduler_family.types; *type; type++) {
    uint64_t first = drain((*type)->name, 7);
    assert_int_equal(first, drain((*type)->name, 7));
    assert_int_not_equal(first, drain((*type)->name, 8));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lrr_goes_round_and_passes_over_those_that_cannot),
      cmocka_unit_test(asking_again_without_an_issue_changes_nothing),
      cmocka_unit_test(gto_stays_then_takes_the_oldest),
      cmocka_unit_test(gty_stays_then_takes_the_youngest),
      cmocka_unit_test(gto_goes_by_age_not_by_slot),
      cmocka_unit_test(two_level_lets_only_active_warps_compete),
      cmocka_unit_test(pa_stays_with_a_group_of_every_other_warp),
      cmocka_unit_test(pa_numbers_the_warps_of_its_scheduler),
      cmocka_unit_test(mascar_lets_one_warp_access_saturated_memory),
      cmocka_unit_test(mascars_owner_gives_up_its_right_at_a_barrier),
      cmocka_unit_test(ccws_bars_loads_above_the_cutoff),
      cmocka_unit_test(ccws_keeps_so_many_victim_tags_a_warp),
      cmocka_unit_test(every_scheduler_serves_all_warps_and_repeats_itself),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
