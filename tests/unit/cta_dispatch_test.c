// SPDX-License-Identifier: MIT
// Where CTAs go, by worked examples on a small chip, and what all policies owe.
#include "policies/cta_dispatch/cta_dispatch.h"

#include <stdio.h>
#include <string.h>

#include "unit/policy_support.h"

enum { MAX_SMS = 96, MAX_CTAS = 512 };

// A chip whose SMs hold so many CTAs each. As the machine does it, a cluster
// takes at most one CTA a cycle.
typedef struct Chip {
  const CtaDispatchType *type;
  void *state;
  uint32_t sms, per_cluster, slots;
  uint32_t held[MAX_SMS], limits[MAX_SMS];
  uint64_t room[(MAX_SMS + 63) / 64];
  uint64_t next, count;
  uint64_t out[MAX_CTAS / 64];
  int sm_of[MAX_CTAS];
  Cycle now;
} Chip;

static void chip_init(Chip *chip, const char *spec, uint32_t sms, uint32_t per_cluster,
                      uint32_t slots, uint64_t ctas) {
  memset(chip, 0, sizeof *chip);
  policy_bench.machine.sm_count = sms;
  policy_bench.machine.sms_per_cluster = per_cluster;
  policy_bench.machine.cluster_count = (sms + per_cluster - 1) / per_cluster;
  chip->type =
      (const CtaDispatchType *)policy_bench_make(&cta_dispatch_family, spec, &chip->state);
  for (uint32_t s = 0; s < sms; s++) chip->limits[s] = UINT32_MAX;
  chip->sms = sms, chip->per_cluster = per_cluster, chip->slots = slots, chip->count = ctas;
  for (int i = 0; i < MAX_CTAS; i++) chip->sm_of[i] = -1;
}

static bool find_room(Chip *chip, const bool *cluster_took, uint32_t *free_ctas) {
  bool any = false;
  memset(chip->room, 0, sizeof chip->room);
  for (uint32_t s = 0; s < chip->sms; s++) {
    uint32_t most = chip->limits[s] < chip->slots ? chip->limits[s] : chip->slots;
    free_ctas[s] = chip->held[s] < most ? most - chip->held[s] : 0;
    if (!free_ctas[s] || cluster_took[s / chip->per_cluster]) continue;
    chip->room[s / 64] |= UINT64_C(1) << s % 64;
    any = true;
  }
  return any;
}

// One cycle of dispatching.
static void cycle(Chip *chip) {
  bool took[MAX_SMS] = {false};
  uint32_t free_ctas[MAX_SMS];
  chip->now++;
  while (chip->next < chip->count && find_room(chip, took, free_ctas)) {
    DispatchKernel kernel = {
        .view = {.id = 1, .cta_count = chip->count, .max_ctas_per_sm = chip->slots},
        .next_cta = chip->next,
        .dispatched = chip->out,
        .room = chip->room,
        .free_ctas = free_ctas,
        .has_room = true};
    DispatchView view = {.now = chip->now,
                         .kernels = &kernel,
                         .kernel_count = 1,
                         .sm_count = chip->sms,
                         .sms_per_cluster = chip->per_cluster,
                         .limits = chip->limits};
    DispatchChoice choice = {.sm = UINT32_MAX, .cta = UINT64_MAX};
    if (!chip->type->pick(chip->state, &view, &choice)) return;
    assert_true(choice.sm < chip->sms && dispatch_has_room(&kernel, choice.sm));
    assert_true(choice.cta < chip->count && chip->sm_of[choice.cta] < 0);
    chip->sm_of[choice.cta] = (int)choice.sm;
    chip->out[choice.cta / 64] |= UINT64_C(1) << choice.cta % 64;
    chip->held[choice.sm]++;
    took[choice.sm / chip->per_cluster] = true;
    while (chip->next < chip->count && chip->sm_of[chip->next] >= 0) chip->next++;
  }
}

static void end_cta(Chip *chip, uint64_t cta) {
  uint32_t sm = (uint32_t)chip->sm_of[cta];
  chip->held[sm]--;
}

static void assert_places(const Chip *chip, const char *expected) {
  char places[MAX_CTAS * 4] = "";
  size_t used = 0;
  for (uint64_t i = 0; i < chip->count && chip->sm_of[i] >= 0; i++)
    used +=
        (size_t)snprintf(places + used, sizeof places - used, "%s%d", i ? " " : "", chip->sm_of[i]);
  assert_string_equal(places, expected);
}

static void round_robin_goes_over_clusters_then_over_their_sms(void **state) {
  (void)state;
  Chip chip;
  chip_init(&chip, "round_robin", 4, 2, 2, 10);  // SMs 0 and 1, 2 and 3 are clusters
  for (int i = 0; i < 8; i++) cycle(&chip);
  assert_places(&chip, "0 2 1 3 0 2 1 3");
  end_cta(&chip, 3);
  cycle(&chip);
  assert_places(&chip, "0 2 1 3 0 2 1 3 3");
  end_cta(&chip, 0);
  end_cta(&chip, 1);
  cycle(&chip);  // cluster 1 was served last, so it is cluster 0's turn
  assert_places(&chip, "0 2 1 3 0 2 1 3 3 0");
}

static void on_demand_fills_in_order_then_takes_the_first_with_room(void **state) {
  (void)state;
  Chip chip;
  chip_init(&chip, "on_demand", 3, 1, 2, 9);
  for (int i = 0; i < 4; i++) cycle(&chip);
  assert_places(&chip, "0 1 2 0 1 2");
  end_cta(&chip, 2);  // on SM 2
  cycle(&chip);
  assert_places(&chip, "0 1 2 0 1 2 2");
  end_cta(&chip, 5);
  end_cta(&chip, 0);
  cycle(&chip);
  assert_places(&chip, "0 1 2 0 1 2 2 0 2");
}

static void random_wave_keeps_the_order_of_ctas_but_not_of_sms(void **state) {
  (void)state;
  Chip one, same, other;
  chip_init(&one, "random_wave", 16, 1, 4, 64);
  chip_init(&same, "random_wave:seed=1", 16, 1, 4, 64);
  chip_init(&other, "random_wave:seed=2", 16, 1, 4, 64);
  for (int i = 0; i < 64; i++) cycle(&one), cycle(&same), cycle(&other);
  assert_memory_equal(one.sm_of, same.sm_of, sizeof one.sm_of);
  int moved = 0, differs = 0;
  for (int i = 0; i < 64; i++) {
    moved += one.sm_of[i] != i % 16;
    differs += one.sm_of[i] != other.sm_of[i];
  }
  assert_true(moved > 30 && differs > 30);
}

// ---- figure 6 of paper 003: 10 CTAs, 2 clusters of 2 SMs with 2 CTAs each. SMs
// 0 and 1 are cluster 1, SMs 2 and 3 cluster 2; CTA 1 of the figure is 0 here.

static void figure_6(Chip *chip, const char *policy) {
  chip_init(chip, policy, 4, 2, 2, 10);
  for (int i = 0; i < 12; i++) cycle(chip);
}

// Where the CTAs are, those that wait as dots.
static void assert_mapping(const Chip *chip, const char *expected) {
  char places[32] = "";
  for (uint64_t i = 0; i < chip->count; i++)
    places[i] = chip->sm_of[i] < 0 ? '.' : (char)('0' + chip->sm_of[i]);
  assert_string_equal(places, expected);
}

static void after_cta_1(Chip *chip) {
  end_cta(chip, 0);
  for (int i = 0; i < 4; i++) cycle(chip);
}

static void figure_6_two_level_round_robin(void **state) {
  (void)state;
  Chip chip;
  figure_6(&chip, "two_level_rr");
  assert_mapping(&chip, "02130213..");
  after_cta_1(&chip);
  assert_mapping(&chip, "021302130.");
}

static void figure_6_global_round_robin(void **state) {
  (void)state;
  Chip chip;
  figure_6(&chip, "global_rr");
  assert_mapping(&chip, "01230123..");
  after_cta_1(&chip);
  assert_mapping(&chip, "012301230.");
}

static void figure_6_greedy_clustering(void **state) {
  (void)state;
  Chip chip;
  figure_6(&chip, "greedy_cluster");
  assert_mapping(&chip, "01012323..");
  after_cta_1(&chip);
  assert_mapping(&chip, "010123230.");
}

static void figure_6_distributed(void **state) {
  (void)state;
  Chip chip;
  figure_6(&chip, "distributed");
  assert_mapping(&chip, "0101.2323.");
  after_cta_1(&chip);
  assert_mapping(&chip, "010102323.");
}

static void figure_6_block(void **state) {
  (void)state;
  Chip chip;
  figure_6(&chip, "block");
  assert_mapping(&chip, "00221133..");
  after_cta_1(&chip);
  assert_mapping(&chip, "00221133..");  // one place is not enough
  end_cta(&chip, 1);
  for (int i = 0; i < 4; i++) cycle(&chip);
  assert_mapping(&chip, "0022113300");
}

static void figure_6_distributed_block(void **state) {
  (void)state;
  Chip chip;
  figure_6(&chip, "distributed_block");
  assert_mapping(&chip, "0011.2233.");
  after_cta_1(&chip);
  assert_mapping(&chip, "0011.2233.");
  end_cta(&chip, 1);  // CTA 5 comes when both CTAs 1 and 2 have ended
  for (int i = 0; i < 4; i++) cycle(&chip);
  assert_mapping(&chip, "001102233.");
}

static void blocks_may_be_larger(void **state) {
  (void)state;
  Chip chip;
  chip_init(&chip, "distributed_block:block_size=4", 4, 2, 4, 16);
  for (int i = 0; i < 20; i++) cycle(&chip);
  assert_mapping(&chip, "0000111122223333");
  chip_init(&chip, "block:block_size=4", 4, 2, 2, 8);  // no more than two fit
  for (int i = 0; i < 20; i++) cycle(&chip);
  assert_mapping(&chip, "00221133");
}

// CTAs end at random; all of a grid that is much larger than the chip must go.
static void every_policy_dispatches_every_cta_once(void **state) {
  (void)state;
  static const struct {
    uint32_t sms, per_cluster, slots;
  } shapes[] = {{1, 1, 1}, {15, 1, 8}, {14, 2, 4}, {65, 5, 3}, {7, 3, 2}};
  for (const PolicyType *const *type = cta_dispatch_family.types; *type; type++)
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
      Chip chip;
      chip_init(&chip, (*type)->name, shapes[i].sms, shapes[i].per_cluster, shapes[i].slots,
                MAX_CTAS);
      uint64_t random = 5, running[MAX_CTAS], count = 0;
      bool known[MAX_CTAS] = {false};
      for (int step = 0; chip.next < chip.count; step++) {
        if (step > 20000) fail_msg("%s starves a CTA", (*type)->name);
        cycle(&chip);
        for (uint64_t cta = 0; cta < chip.count; cta++)
          if (chip.sm_of[cta] >= 0 && !known[cta]) known[running[count++] = cta] = true;
        random = random * 6364136223846793005u + 1442695040888963407u;
        if (!count) continue;
        uint64_t ends = (random >> 33) % count;
        end_cta(&chip, running[ends]);
        running[ends] = running[--count];
      }
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_robin_goes_over_clusters_then_over_their_sms),
      cmocka_unit_test(on_demand_fills_in_order_then_takes_the_first_with_room),
      cmocka_unit_test(random_wave_keeps_the_order_of_ctas_but_not_of_sms),
      cmocka_unit_test(figure_6_two_level_round_robin),
      cmocka_unit_test(figure_6_global_round_robin),
      cmocka_unit_test(figure_6_greedy_clustering),
      cmocka_unit_test(figure_6_distributed),
      cmocka_unit_test(figure_6_block),
      cmocka_unit_test(figure_6_distributed_block),
      cmocka_unit_test(blocks_may_be_larger),
      cmocka_unit_test(every_policy_dispatches_every_cta_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
