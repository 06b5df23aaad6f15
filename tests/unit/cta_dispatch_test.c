// SPDX-License-Identifier: MIT
// Where CTAs go, by worked examples on a small chip, and what all policies owe.
#include "policies/cta_dispatch/cta_dispatch.h"
#include "policies/cta_dispatch/cta_order.h"

#include <stdio.h>
#include <stdlib.h>
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
  Launch launch;
  Cycle now;
} Chip;

static void chip_init(Chip *chip, const char *spec, uint32_t sms, uint32_t per_cluster,
                      uint32_t slots, uint64_t ctas) {
  memset(chip, 0, sizeof *chip);
  policy_bench.machine.sm_count = sms;
  policy_bench.machine.sms_per_cluster = per_cluster;
  policy_bench.machine.cluster_count = (sms + per_cluster - 1) / per_cluster;
  chip->type = (const CtaDispatchType *)policy_bench_make(&cta_dispatch_family, spec, &chip->state);
  for (uint32_t s = 0; s < sms; s++) chip->limits[s] = UINT32_MAX;
  chip->sms = sms, chip->per_cluster = per_cluster, chip->slots = slots, chip->count = ctas;
  chip->launch.grid[0] = (uint32_t)ctas, chip->launch.grid[1] = chip->launch.grid[2] = 1;
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
    DispatchKernel kernel = {.view = {.id = 1,
                                      .launch = &chip->launch,
                                      .cta_count = chip->count,
                                      .max_ctas_per_sm = chip->slots},
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

// A grid of 3 rows by 4 columns in groups of two rows: down, then across; the last row by itself.
static void grouped_tiles_go_down_before_across(void **state) {
  (void)state;
  static const uint64_t wanted[] = {0, 4, 1, 5, 2, 6, 3, 7, 8, 9, 10, 11};
  Chip chip;
  chip_init(&chip, "grouped_tiles:rows=2", 12, 1, 1, 12);
  chip.launch.grid[0] = 4, chip.launch.grid[1] = 3;
  cycle(&chip);
  for (int i = 0; i < 12; i++) assert_int_equal(chip.sm_of[wanted[i]], i);
}

// Every CTA ends one cycle after it was dispatched, in the order of SMs: the order of CTAs.
static void random_order_run(const char *spec, uint64_t order[24]) {
  Chip chip;
  uint64_t count = 0;
  chip_init(&chip, spec, 4, 1, 2, 24);
  for (int i = 0; i < 2; i++) cycle(&chip);
  for (uint64_t cta = 0; cta < 8; cta++) order[count++] = cta;
  assert_places(&chip, "0 1 2 3 0 1 2 3");
  while (count < 24) {
    bool before[24];
    for (int i = 0; i < 24; i++) before[i] = chip.sm_of[i] >= 0;
    end_cta(&chip, order[count - 8]);
    cycle(&chip);
    for (uint64_t i = 0; i < 24; i++)
      if (!before[i] && chip.sm_of[i] >= 0) order[count++] = i;
  }
}

static void random_order_shuffles_each_wave_after_the_first(void **state) {
  (void)state;
  uint64_t one[24], same[24], other[24];
  random_order_run("random_order", one);
  random_order_run("random_order:seed=1", same);
  random_order_run("random_order:seed=2", other);
  assert_memory_equal(one, same, sizeof one);
  int moved = 0, differs = 0;
  for (uint64_t i = 8; i < 24; i++) {
    assert_int_equal(one[i] / 8, i / 8);  // no CTA leaves its wave
    moved += one[i] != i;
    differs += one[i] != other[i];
  }
  assert_true(moved > 8 && differs > 8);
  Chip chip;
  chip_init(&chip, "random_order:ordered_waves=0", 16, 1, 1, 16);
  cycle(&chip);
  moved = 0;
  for (int i = 0; i < 16; i++) moved += chip.sm_of[i] != i;
  assert_true(moved > 8);
}

// ---- figure 6 of Wang et al. (IEEE TC 2019): 10 CTAs, 2 clusters of 2 SMs with 2 CTAs each. SMs
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

// ---- CTA clustering (Li et al., ASPLOS 2017)

// A file with a map; the spec of the policy that reads it.
static char map_path[] = "/tmp/cta_dispatch_test_XXXXXX", map_spec[64];

static void write_map(const char *text) {
  strcpy(map_path + strlen(map_path) - 6, "XXXXXX");
  FILE *map = fdopen(mkstemp(map_path), "w");
  assert_non_null(map);
  fputs(text, map);
  fclose(map);
  snprintf(map_spec, sizeof map_spec, "clustered:order=map,map=%s", map_path);
}

// A grid of 4 x 4 CTAs on four SMs that hold all of their clusters.
static void assert_clusters_of_16(const char *spec, const char *expected) {
  Chip chip;
  chip_init(&chip, spec, 4, 1, 4, 16);
  chip.launch.grid[0] = chip.launch.grid[1] = 4;
  for (int i = 0; i < 20; i++) cycle(&chip);
  assert_mapping(&chip, expected);
}

// SM v / 4 has the CTA of number v: figure 7.
static void clusters_follow_the_orders_of_figure_7(void **state) {
  (void)state;
  write_map("# figure 7, arbitrary\n10 4 9 15\n2 12 5 7\n8 3 0 13\n6 11 14 1\n");
  assert_clusters_of_16("clustered", "0000111122223333");
  assert_clusters_of_16("clustered:order=column", "0123012301230123");
  assert_clusters_of_16("clustered:order=tile,tile_width=2,tile_height=2", "0011001122332233");
  assert_clusters_of_16(map_spec, "2123031120031230");
  remove(map_path);
}

static void a_cluster_is_worked_through_by_its_sm_alone(void **state) {
  (void)state;
  Chip chip;
  chip_init(&chip, "clustered", 3, 1, 1, 7);  // clusters of 3, 2 and 2
  for (int i = 0; i < 4; i++) cycle(&chip);
  assert_mapping(&chip, "0..1.2.");
  end_cta(&chip, 5);
  cycle(&chip);
  assert_mapping(&chip, "0..1.22");
  end_cta(&chip, 6);
  for (int i = 0; i < 4; i++) cycle(&chip);
  assert_mapping(&chip, "0..1.22");  // SM 2 has none left and stays idle
  end_cta(&chip, 0);
  cycle(&chip);
  assert_mapping(&chip, "00.1.22");
}

static void a_map_for_another_grid_is_not_used(void **state) {
  (void)state;
  write_map("1, 0");
  assert_clusters_of_16(map_spec, "0000111122223333");
  remove(map_path);
}

static void every_order_is_a_bijection_and_clusters_are_even(void **state) {
  (void)state;
  static const CtaOrder orders[] = {{.kind = CTA_ORDER_ROW},
                                    {.kind = CTA_ORDER_COLUMN},
                                    {.kind = CTA_ORDER_LONGER},
                                    {.kind = CTA_ORDER_TILE, .tile_width = 2, .tile_height = 2},
                                    {.kind = CTA_ORDER_TILE, .tile_width = 3, .tile_height = 5}};
  for (size_t o = 0; o < sizeof orders / sizeof *orders; o++)
    for (uint32_t x = 1; x <= 9; x++)
      for (uint32_t y = 1; y <= 9; y++)
        for (uint32_t z = 1; z <= 2; z++) {
          uint32_t grid[3] = {x, y, z}, count = x * y * z;
          bool seen[200] = {false};
          for (uint32_t v = 0; v < count; v++) {
            uint64_t cta = cta_order_cta(&orders[o], grid, v);
            assert_true(cta < count && !seen[cta]);
            seen[cta] = true;
          }
        }
  for (uint64_t ctas = 0; ctas < 100; ctas++)
    for (uint32_t clusters = 1; clusters < 20; clusters++) {
      uint64_t next = 0;
      for (uint32_t i = 0; i < clusters; i++) {
        assert_int_equal(partition_first(ctas, clusters, i), next);
        uint64_t size = partition_size(ctas, clusters, i);
        assert_true(size == ctas / clusters || size == ctas / clusters + 1);
        for (uint64_t w = 0; w < size; w++)
          assert_int_equal(partition_cluster(ctas, clusters, next + w), i);
        next += size;
      }
      assert_int_equal(next, ctas);
    }
}

static void maps_that_are_wrong_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *error;
  } wrong[] = {{"", ": no entries"},
               {"0 2", ": 2: out of range; 2 entries are numbered 0 to 1"},
               {"0 1\n1", ": duplicate entry 1; each number must occur exactly once"},
               {"0\n-1", ":2: '-1': expected an integer"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    write_map(wrong[i].text);
    const PolicyType *type;
    void *made;
    Error err = {0};
    assert_int_not_equal(policy_host_make(&policy_bench, &cta_dispatch_family, map_spec,
                                          (PolicyPlace){.sm = 0}, &type, &made, &err),
                         OK);
    assert_non_null(strstr(err.text, wrong[i].error));
    remove(map_path);
  }
}

// A child's grid divides the table among its positions; a kernel of the host is spread over all
// SMs.
static void a_table_places_children_by_their_position(void **state) {
  (void)state;
  static const struct {
    const char *spec, *places;
    uint64_t ctas;
  } cases[] = {{"placement_table:table=ddaabbcc,steal=never", "3 0 1 2", 4},
               {"placement_table:table=ddaabbcc,steal=never", "3 1", 2},
               {"placement_table:table=ddddda,steal=never", "3 0", 2},
               {"placement_table:table=abcd,steal=never", "0 0 1 1 2 2 3 3", 8}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    Chip chip;
    chip_init(&chip, cases[i].spec, 4, 1, 8, cases[i].ctas);
    chip.launch.origin.has_parent = true;
    for (int c = 0; c < 4; c++) cycle(&chip);
    assert_places(&chip, cases[i].places);
  }
  Chip chip;
  chip_init(&chip, "placement_table:table=d,steal=never", 4, 1, 8, 6);
  for (int c = 0; c < 4; c++) cycle(&chip);
  assert_places(&chip, "0 1 2 3 0 1");
}

static void a_table_names_sms_of_the_gpu(void **state) {
  (void)state;
  const PolicyType *type;
  void *made;
  Error err = {0};
  policy_bench.machine.sm_count = 4;
  assert_int_not_equal(
      policy_host_make(&policy_bench, &cta_dispatch_family, "placement_table:table=abe",
                       (PolicyPlace){.sm = 0}, &type, &made, &err),
      OK);
  assert_non_null(strstr(err.text, "letter 3, 'e', is no SM of this GPU: it has 4"));
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
      cmocka_unit_test(grouped_tiles_go_down_before_across),
      cmocka_unit_test(random_order_shuffles_each_wave_after_the_first),
      cmocka_unit_test(figure_6_two_level_round_robin),
      cmocka_unit_test(figure_6_global_round_robin),
      cmocka_unit_test(figure_6_greedy_clustering),
      cmocka_unit_test(figure_6_distributed),
      cmocka_unit_test(figure_6_block),
      cmocka_unit_test(figure_6_distributed_block),
      cmocka_unit_test(blocks_may_be_larger),
      cmocka_unit_test(clusters_follow_the_orders_of_figure_7),
      cmocka_unit_test(a_cluster_is_worked_through_by_its_sm_alone),
      cmocka_unit_test(a_map_for_another_grid_is_not_used),
      cmocka_unit_test(every_order_is_a_bijection_and_clusters_are_even),
      cmocka_unit_test(maps_that_are_wrong_are_refused),
      cmocka_unit_test(a_table_places_children_by_their_position),
      cmocka_unit_test(a_table_names_sms_of_the_gpu),
      cmocka_unit_test(every_policy_dispatches_every_cta_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
