// SPDX-License-Identifier: MIT
// Worked examples of Oh et al. (ISCA 2016): laws alone and together with sap, wired as the
// machine wires them.
#include <string.h>

#include "policies/prefetch/prefetch.h"
#include "policies/warp_scheduler/warp_scheduler.h"
#include "unit/policy_support.h"

enum { LINE_BYTES = 128, ALL = 0xffff };

typedef struct Pair {
  const WarpSchedulerType *scheduler;
  const PrefetchType *prefetch;  // or NULL
  void *scheduler_state, *prefetch_state;
  uint64_t age[64];
  uint64_t ctas[64];  // by warp: the warps of its CTA; all are of one, unless a test says otherwise
  Cycle now;
  PrefetchList list;  // of the last load
} Pair;

// Warps 0 to count - 1 are launched in this order.
static void pair_init(Pair *pair, const char *scheduler, const char *prefetch, int count) {
  memset(pair, 0, sizeof *pair);
  memset(pair->ctas, 0xff, sizeof pair->ctas);
  policy_bench_forget_shared();
  pair->scheduler = (const WarpSchedulerType *)policy_bench_make(&warp_scheduler_family, scheduler,
                                                                 &pair->scheduler_state);
  if (prefetch)
    pair->prefetch = (const PrefetchType *)policy_bench_make(&prefetch_family, prefetch,
                                                             &pair->prefetch_state);
  for (int w = 0; w < count; w++) {
    pair->age[w] = (uint64_t)w;
    Requester requester = {.warp = (uint8_t)w};
    if (pair->scheduler->on_warp) pair->scheduler->on_warp(pair->scheduler_state, &requester, true);
  }
}

static int issue(Pair *pair, uint64_t candidates) {
  IssueView view = {.now = pair->now++,
                    .candidates = candidates,
                    .resident = candidates,
                    .age = pair->age,
                    .scheduler_count = 1};
  int warp = warp_scheduler_pick(pair->scheduler, pair->scheduler_state, &view);
  if (pair->scheduler->on_issue) pair->scheduler->on_issue(pair->scheduler_state, &view, warp);
  return warp;
}

static void issue_load(Pair *pair, int warp, uint32_t pc) {
  Requester requester = {.warp = (uint8_t)warp, .pc = pc};
  if (pair->scheduler->on_load) pair->scheduler->on_load(pair->scheduler_state, &requester);
}

// The load that the warp issued is looked up; prefetches leave at once.
static void look_up(Pair *pair, int warp, uint32_t pc, uint64_t address, Outcome outcome) {
  void *state = pair->scheduler_state;
  L1dAccess access = {.now = pair->now++,
                      .lane_address = address,
                      .line = address / LINE_BYTES * LINE_BYTES,
                      .line_bytes = LINE_BYTES,
                      .outcome = (uint8_t)outcome,
                      .is_lowest = true,
                      .cta_warps = pair->ctas[warp],
                      .requester = {.warp = (uint8_t)warp, .pc = pc}};
  if (pair->scheduler->on_access) pair->scheduler->on_access(state, &access);
  pair->list.count = 0;
  if (!pair->prefetch) return;
  prefetch_ask(pair->prefetch, pair->prefetch_state, &access, &pair->list);
  for (uint32_t i = 0; i < pair->list.count && pair->prefetch->on_sent; i++)
    pair->prefetch->on_sent(pair->prefetch_state, &pair->list.candidates[i], pair->now);
}

static void load(Pair *pair, int warp, uint32_t pc, uint64_t address, Outcome outcome) {
  issue_load(pair, warp, pc);
  look_up(pair, warp, pc, address, outcome);
}

// The order in which warps would issue if all could, and each only once.
static void assert_order(Pair *pair, uint64_t warps, const int *wanted) {
  for (int i = 0; warps; i++) {
    int warp = issue(pair, warps);
    assert_int_equal(warp, wanted[i]);
    warps &= ~(UINT64_C(1) << warp);
  }
}
#define ASSERT_ORDER(pair, warps, ...) assert_order((pair), (warps), (const int[]){__VA_ARGS__})

// Figure 8: the last load of warps 0, 2 and 3 is at 0x10, that of warp 1 is
// not. None has been looked up, so the queue is as it began.
static void figure_8(Pair *pair) {
  pair_init(pair, "laws", NULL, 4);
  for (int w = 0; w < 4; w++) issue_load(pair, w, w == 1 ? 0x30 : 0x10);
  ASSERT_ORDER(pair, 0xf, 0, 1, 2, 3);
}

static void a_hit_moves_the_group_of_figure_8_to_the_front(void **state) {
  (void)state;
  Pair pair;
  figure_8(&pair);
  load(&pair, 0, 0x20, 0, OUTCOME_HIT);
  ASSERT_ORDER(&pair, 0xf, 0, 2, 3, 1);
}

static void a_miss_moves_the_group_of_figure_8_to_the_back(void **state) {
  (void)state;
  Pair pair;
  figure_8(&pair);
  load(&pair, 0, 0x20, 0, OUTCOME_MISS);
  ASSERT_ORDER(&pair, 0xf, 1, 0, 2, 3);
}

static void the_last_load_of_the_head_is_the_one_it_issued(void **state) {
  (void)state;
  Pair pair;
  figure_8(&pair);
  load(&pair, 0, 0x20, 0, OUTCOME_MISS);  // 1 0 2 3; 0 has left the group
  load(&pair, 2, 0x20, 0, OUTCOME_MISS);  // 2 and 3 go behind 0
  ASSERT_ORDER(&pair, 0xf, 1, 0, 2, 3);
  load(&pair, 0, 0x40, 0, OUTCOME_HIT);   // 0 and 2 were at 0x20
  ASSERT_ORDER(&pair, 0xf, 0, 2, 1, 3);
}

static void a_group_is_made_at_issue_and_used_once(void **state) {
  (void)state;
  Pair pair;
  figure_8(&pair);
  issue_load(&pair, 0, 0x20);
  load(&pair, 3, 0x50, 0, OUTCOME_HIT);  // 2 and 3; 3 has gone on before 0 is answered
  ASSERT_ORDER(&pair, 0xf, 2, 3, 0, 1);
  look_up(&pair, 0, 0x20, 0, OUTCOME_MISS);  // 3 was of the group when it was made
  ASSERT_ORDER(&pair, 0xf, 1, 2, 3, 0);
  look_up(&pair, 0, 0x20, 0, OUTCOME_HIT);   // the group is gone
  ASSERT_ORDER(&pair, 0xf, 1, 2, 3, 0);
}

static void a_merge_is_a_hit_unless_told_otherwise(void **state) {
  (void)state;
  Pair pair;
  figure_8(&pair);
  load(&pair, 0, 0x20, 0, OUTCOME_MERGE);
  ASSERT_ORDER(&pair, 0xf, 0, 2, 3, 1);
  pair_init(&pair, "laws:merges_hit=false", NULL, 4);
  load(&pair, 2, 0x20, 0, OUTCOME_HIT);
  load(&pair, 1, 0x20, 0, OUTCOME_MERGE);
  ASSERT_ORDER(&pair, 0xf, 2, 0, 1, 3);
}

static void a_fourth_group_replaces_the_oldest(void **state) {
  (void)state;
  Pair pair;
  pair_init(&pair, "laws", NULL, 5);
  for (int w = 0; w < 4; w++) issue_load(&pair, w, 0x10);
  look_up(&pair, 0, 0x10, 0, OUTCOME_MISS);  // replaced: nothing moves
  ASSERT_ORDER(&pair, 0x1f, 0, 1, 2, 3, 4);
  look_up(&pair, 1, 0x10, 0, OUTCOME_MISS);  // 1 to 4
  look_up(&pair, 3, 0x10, 0, OUTCOME_HIT);   // 3 and 4
  ASSERT_ORDER(&pair, 0x1f, 3, 4, 0, 1, 2);
}

static void warps_that_end_leave_the_queue_and_new_ones_go_last(void **state) {
  (void)state;
  Pair pair;
  figure_8(&pair);
  issue_load(&pair, 0, 0x20);
  Requester second = {.warp = 2};
  pair.scheduler->on_warp(pair.scheduler_state, &second, false);
  look_up(&pair, 0, 0x20, 0, OUTCOME_HIT);
  pair.scheduler->on_warp(pair.scheduler_state, &second, true);
  ASSERT_ORDER(&pair, 0xf, 0, 3, 1, 2);
}

// Figure 9: the entry of PC 200 has warp 10, address 2800 and stride 100; warp
// 2 misses at 2000, and its group has warp 1.
static void figure_9(Pair *pair) {
  pair_init(pair, "laws", "sap", 16);
  for (int w = 3; w < 16; w++)
    if (w != 10) load(pair, w, 7, 0, OUTCOME_HIT);  // 0, 1, 2 and 10 have not loaded yet
  load(pair, 0, 8, 0, OUTCOME_HIT);
  load(pair, 9, 200, 2700, OUTCOME_MISS);
  load(pair, 10, 200, 2800, OUTCOME_MISS);
  assert_int_equal(pair->list.count, 0);  // a first stride is none to go by
}

static void sap_fetches_1900_for_warp_1_of_figure_9(void **state) {
  (void)state;
  Pair pair;
  figure_9(&pair);
  load(&pair, 2, 200, 2000, OUTCOME_MISS);
  assert_int_equal(pair.list.count, 1);
  assert_int_equal(pair.list.candidates[0].address, 1900);
  assert_int_equal(pair.list.candidates[0].warp, 1);
  assert_int_equal(issue(&pair, ALL), 1);  // and warp 1 goes first
}

// Slots 0 to 3 and 4 to 7 hold a CTA each. Load 200 has a stride of 100; warp 2
// misses as the head of a group of all eight.
static void two_ctas(Pair *pair, const char *prefetch) {
  pair_init(pair, "laws", prefetch, 8);
  for (int w = 0; w < 8; w++) pair->ctas[w] = w < 4 ? 0x0f : 0xf0;
  for (uint64_t address = 1000; address <= 1100; address += 100) {
    L1dAccess before = {.requester = {.pc = 200, .warp = (uint8_t)(address / 100 % 10)},
                        .lane_address = address,
                        .is_lowest = true,
                        .outcome = OUTCOME_MISS};
    pair->prefetch->on_access(pair->prefetch_state, &before, &pair->list);
  }
}

static void sap_fetches_for_the_warps_of_the_heads_cta(void **state) {
  (void)state;
  Pair pair;
  two_ctas(&pair, "sap");
  load(&pair, 2, 200, 1200, OUTCOME_MISS);
  assert_int_equal(pair.list.count, 3);
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(pair.list.candidates[i].warp, i < 2 ? i : 3);
    assert_int_equal(pair.list.candidates[i].address, 1000 + 100 * (i < 2 ? i : 3));
    assert_true(pair.list.candidates[i].for_next);
  }
  two_ctas(&pair, "sap:scope=group");
  load(&pair, 2, 200, 1200, OUTCOME_MISS);
  assert_int_equal(pair.list.count, 7);
}

// Warps 1 and 4 execute the load between its issue by warp 2 and the lookup.
static void sap_fetches_for_none_that_has_loaded_since(void **state) {
  (void)state;
  Pair pair;
  two_ctas(&pair, "sap:scope=group");
  issue_load(&pair, 2, 200);
  issue_load(&pair, 1, 200);
  issue_load(&pair, 4, 200);
  look_up(&pair, 2, 200, 1200, OUTCOME_MISS);
  assert_int_equal(pair.list.count, 5);
  for (uint32_t i = 0; i < 5; i++)
    assert_true(pair.list.candidates[i].warp != 1 && pair.list.candidates[i].warp != 4);
  two_ctas(&pair, "sap:scope=group");
  issue_load(&pair, 2, 200);
  issue_load(&pair, 1, 300);  // another load
  look_up(&pair, 2, 200, 1200, OUTCOME_MISS);
  assert_int_equal(pair.list.count, 7);
}

static void another_stride_replaces_the_old_and_fetches_nothing(void **state) {
  (void)state;
  Pair pair;
  figure_9(&pair);
  load(&pair, 2, 200, 2400, OUTCOME_MISS);  // (2400 - 2800) / (2 - 10) = 50
  assert_int_equal(pair.list.count, 0);
  load(&pair, 4, 200, 2500, OUTCOME_MISS);  // 50 again, for the ten others that were at 7
  assert_int_equal(pair.list.count, 10);
  assert_int_equal(pair.list.candidates[0].warp, 3);
  assert_int_equal(pair.list.candidates[0].address, 2450);
}

static void hits_merges_and_lone_warps_fetch_nothing(void **state) {
  (void)state;
  Pair pair;
  figure_9(&pair);
  load(&pair, 2, 200, 2000, OUTCOME_HIT);
  assert_int_equal(pair.list.count, 0);
  load(&pair, 1, 200, 1900, OUTCOME_MERGE);
  assert_int_equal(pair.list.count, 0);
  load(&pair, 0, 200, 1800, OUTCOME_MISS);  // alone after 8
  assert_int_equal(pair.list.count, 0);
}

static void sap_remembers_the_ten_loads_that_missed_last(void **state) {
  (void)state;
  Pair pair;
  for (uint32_t others = 9; others <= 10; others++) {
    pair_init(&pair, "laws", "sap", 16);
    load(&pair, 0, 200, 1000, OUTCOME_MISS);
    load(&pair, 1, 200, 1100, OUTCOME_MISS);
    for (uint32_t i = 0; i < others; i++) load(&pair, 2, 300 + i, 0, OUTCOME_MISS);
    load(&pair, 3, 200, 1300, OUTCOME_MISS);
    assert_int_equal(pair.list.count, others == 9 ? 12 : 0);
  }
}

// Figure 6: four warps execute loads 100, 200 and 300. With lrr they take
// turns.
static void figure_6_in_turns(void **state) {
  (void)state;
  Pair pair;
  pair_init(&pair, "lrr", NULL, 4);
  for (int round = 0; round < 3; round++)
    for (int i = 0; i < 4; i++) assert_int_equal(issue(&pair, 0xf), (i + 1) % 4);
}

// Warps 1 and 2 have done load 100; 0 and 3 have not. Warp 0 hits, so that
// warp 3 comes before the other two.
static void figure_6(Pair *pair, const char *prefetch) {
  pair_init(pair, "laws", prefetch, 4);
  for (int w = 1; w <= 2; w++) issue_load(pair, w, 100);
  issue_load(pair, 0, 100);
}

static void figure_6_with_laws(void **state) {
  (void)state;
  Pair pair;
  figure_6(&pair, NULL);
  look_up(&pair, 0, 100, 1000, OUTCOME_HIT);
  ASSERT_ORDER(&pair, 0xe, 3, 1, 2);
}

// Then warps 1 and 2 miss load 200 at 12000 and 13000, a stride that it is
// known for: 0, 2 and 3 were at 100, so 11000 and 14000 are fetched for 0 and 3,
// which go before 1.
static void figure_6_with_apres(void **state) {
  (void)state;
  Pair pair;
  figure_6(&pair, "sap");
  look_up(&pair, 0, 100, 1000, OUTCOME_HIT);
  load(&pair, 3, 100, 1000, OUTCOME_HIT);
  L1dAccess before = {
      .requester = {.pc = 200, .warp = 2}, .is_lowest = true, .outcome = OUTCOME_MISS};
  before.lane_address = 3000;  // of the loop's last round
  pair.prefetch->on_access(pair.prefetch_state, &before, &pair.list);
  load(&pair, 1, 200, 2000, OUTCOME_MISS);
  load(&pair, 1, 200, 12000, OUTCOME_MISS);
  load(&pair, 2, 200, 13000, OUTCOME_MISS);
  assert_int_equal(pair.list.count, 2);
  assert_int_equal(pair.list.candidates[0].warp, 0);
  assert_int_equal(pair.list.candidates[0].address, 11000);
  assert_int_equal(pair.list.candidates[1].warp, 3);
  assert_int_equal(pair.list.candidates[1].address, 14000);
  ASSERT_ORDER(&pair, 0xf, 0, 3, 1, 2);
}

// Table II.
static void apres_takes_724_bytes(void **state) {
  (void)state;
  Pair pair;
  pair_init(&pair, "laws", "sap", 0);
  uint64_t laws = pair.scheduler->policy.storage_bits(pair.scheduler_state, 48);
  uint64_t sap = pair.prefetch->policy.storage_bits(pair.prefetch_state, 48);
  assert_int_equal(laws, 8 * (4 * 48) + 48 * 3);
  assert_int_equal((laws + sap) / 8, 724);
  assert_int_equal((laws + sap) % 8, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_hit_moves_the_group_of_figure_8_to_the_front),
      cmocka_unit_test(a_miss_moves_the_group_of_figure_8_to_the_back),
      cmocka_unit_test(the_last_load_of_the_head_is_the_one_it_issued),
      cmocka_unit_test(a_group_is_made_at_issue_and_used_once),
      cmocka_unit_test(a_merge_is_a_hit_unless_told_otherwise),
      cmocka_unit_test(a_fourth_group_replaces_the_oldest),
      cmocka_unit_test(warps_that_end_leave_the_queue_and_new_ones_go_last),
      cmocka_unit_test(sap_fetches_1900_for_warp_1_of_figure_9),
      cmocka_unit_test(sap_fetches_for_the_warps_of_the_heads_cta),
      cmocka_unit_test(sap_fetches_for_none_that_has_loaded_since),
      cmocka_unit_test(another_stride_replaces_the_old_and_fetches_nothing),
      cmocka_unit_test(hits_merges_and_lone_warps_fetch_nothing),
      cmocka_unit_test(sap_remembers_the_ten_loads_that_missed_last),
      cmocka_unit_test(figure_6_in_turns),
      cmocka_unit_test(figure_6_with_laws),
      cmocka_unit_test(figure_6_with_apres),
      cmocka_unit_test(apres_takes_724_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
