// SPDX-License-Identifier: MIT
// The limit study without a machine: algorithms 1 and 2 and the worked example of wavefront
// scheduling on a hand-made tree of launches (Tang et al., SIGMETRICS 2018, section 5).
#include <stdio.h>
#include <unistd.h>

#include "base/memory.h"
#include "policies/shared/laser_status.h"
#include "unit/chip_support.h"

// ---- the limit study: a hand-made tree
//
// The host's kernel P (2 CTAs) launches A, B and C from its CTA 0, D from its CTA 1. Ratios
// above 0.4: A to P 0.5; C to A 0.9; D to P 0.6. Chains of CTAs: {P.0, A.0, A.1, C.0}, {D.0, D.1}.

enum { P, A, B, C, D, TREE };
static const struct {
  uint64_t cta;
  uint32_t ctas, number;
} tree[TREE] = {
    [P] = {0, 2, 0}, [A] = {0, 2, 0}, [B] = {0, 1, 1}, [C] = {0, 1, 2}, [D] = {1, 2, 0}};

static const ProfileSample exact = {.one_line_in = 1};
static ProfileSample sample = {.one_line_in = 1};  // of the profile that is written

static void write_tree(const char *path, uint32_t shift) {
  static const ProfiledPair pairs[] = {{P, 500000}, {A, 900000}, {P, 600000}};
  static const struct {
    uint64_t first, count;
  } pair_of[TREE] = {[A] = {0, 1}, [C] = {1, 1}, [D] = {2, 1}};
  static const uint32_t by_place[] = {A, B, C, D, P, 0};
  const uint32_t none = PROFILE_NONE;
  const ProfiledCta ctas[] = {{0, 0}, {none, 1}, {0, 0}, {0, 0}, {none, 0}, {0, 0}, {1, 0}, {1, 0}};
  ReuseProfileHeader header = {.version = REUSE_PROFILE_VERSION,
                               .kernel_count = TREE,
                               .pair_count = 3,
                               .cta_count = 8,
                               .chain_count = 2,
                               .sample = sample};
  memcpy(header.magic, REUSE_PROFILE_MAGIC, sizeof header.magic);
  FILE *out = fopen(path, "wb");
  fwrite(&header, sizeof header, 1, out);
  uint64_t first = 0;
  for (uint32_t k = 0; k < TREE; k++) {
    launches[k] = (Launch){0};
    kernel_view(k, tree[k].ctas + (k == B ? shift : 0));
    ProfiledKernel kernel = {.place = {.cta = tree[k].cta,
                                       .parent = k == P ? none : (uint32_t)P,
                                       .number = tree[k].number},
                             .signature = launch_signature(&launches[k]),
                             .first_cta = first,
                             .cta_count = tree[k].ctas,
                             .first_pair = pair_of[k].first,
                             .pair_count = pair_of[k].count,
                             .children = k == P ? 4 : 0,
                             .self = k == B ? 700000 : 100000,
                             .parent_child = k == A ? 550000 : 300000,
                             .sibling = k == C ? 900000 : 200000};
    first += tree[k].ctas;
    fwrite(&kernel, sizeof kernel, 1, out);
  }
  fwrite(by_place, sizeof by_place, 1, out);
  fwrite(pairs, sizeof pairs, 1, out);
  fwrite(ctas, sizeof ctas, 1, out);
  fclose(out);
}

static char profile_path[64], profile_spec[128];
static void new_tree(uint32_t shift) {
  snprintf(profile_path, sizeof profile_path, "/tmp/heddle_tree_%d", (int)getpid());
  snprintf(profile_spec, sizeof profile_spec, "reuse_profile:file=%s", profile_path);
  write_tree(profile_path, shift);
  new_bench(profile_spec);
}

// As another schedule would: D's launch is the first, and D has the lowest id.
static const uint32_t ids[TREE] = {[P] = 10, [D] = 11, [A] = 12, [B] = 13, [C] = 14};
static KernelView launch_in_tree(uint32_t k) {
  if (k == P) return launch_host(ids[P], tree[P].ctas);
  return launch_child(ids[k], tree[k].ctas,
                      (LaunchOrigin){.parent = ids[P], .parent_cta = tree[k].cta}, ids[k]);
}
static void launch_tree(KernelView views[TREE]) {
  static const uint32_t order[TREE] = {P, D, A, B, C};
  for (int i = 0; i < TREE; i++) views[order[i]] = launch_in_tree(order[i]);
  unlink(profile_path);
}

static void algorithm_1_takes_the_highest_ratio_to_what_runs(void **state) {
  (void)state;
  KernelView views[TREE];
  void *scheduler;
  new_tree(0);
  const PolicyType *type =
      make(&kernel_scheduler_family, "reuse_first", POLICY_EVERY_SM, &scheduler);
  launch_tree(views);
  assert_int_equal(policy_bench.failure.status, OK);
  KernelView pending[] = {views[B], views[A], views[D], views[C]};
  assert_int_equal(pick(type, scheduler, pending, 4, &views[P], 1), 2);  // D to P 0.6
  assert_int_equal(pick(type, scheduler, pending, 2, &views[P], 1), 1);  // A to P 0.5
  KernelView running[] = {views[P], views[A]};
  assert_int_equal(pick(type, scheduler, pending, 4, running, 2), 3);    // C to A 0.9
  assert_int_equal(pick(type, scheduler, pending, 4, &views[B], 1), 0);  // none: first come
}

static void algorithm_2_sends_chains_whole_to_the_shortest_queue(void **state) {
  (void)state;
  KernelView views[TREE];
  Chip chip;
  new_tree(0);
  chip_init(&chip, "reuse_chains:steal=never");
  launch_tree(views);
  static const uint32_t order[TREE] = {P, A, B, C, D};
  for (int i = 0; i < TREE; i++) chip_start(&chip, views[order[i]]);
  for (int i = 0; i < 8; i++) chip_cycle(&chip);
  int chain = chip.sm_of[P][0];
  assert_int_equal(chain, 0);
  assert_int_equal(chip.sm_of[A][0], chain);
  assert_int_equal(chip.sm_of[A][1], chain);
  assert_int_equal(chip.sm_of[C][0], chain);
  assert_int_equal(chip.sm_of[P][1], 1);  // a chain of its own, to the next shortest
  assert_int_equal(chip.sm_of[B][0], 2);
  assert_int_equal(chip.sm_of[D][0], 3);
  assert_int_equal(chip.sm_of[D][1], 3);
}

static void an_sm_without_a_queue_steals(void **state) {
  (void)state;
  KernelView views[TREE];
  Chip chip;
  new_tree(0);
  chip_init(&chip, "reuse_chains");
  launch_tree(views);
  chip_start(&chip, views[A]);  // both CTAs in one queue, 12 SMs have none
  chip_cycle(&chip);
  assert_int_equal(chip.done[0], 2);
  assert_true(chip.sm_of[0][0] != chip.sm_of[0][1]);
}

// One kernel of 176 CTAs in one chain, Radixsort's longest.
static void write_chain(const char *path, uint32_t ctas) {
  ReuseProfileHeader header = {.version = REUSE_PROFILE_VERSION,
                               .kernel_count = 1,
                               .cta_count = ctas,
                               .chain_count = 1,
                               .sample = exact};
  const uint32_t by_place[] = {0, 0};
  memcpy(header.magic, REUSE_PROFILE_MAGIC, sizeof header.magic);
  launches[0] = (Launch){0};
  kernel_view(0, ctas);
  ProfiledKernel kernel = {.place = {.parent = PROFILE_NONE},
                           .signature = launch_signature(&launches[0]),
                           .cta_count = ctas};
  FILE *out = fopen(path, "wb");
  fwrite(&header, sizeof header, 1, out);
  fwrite(&kernel, sizeof kernel, 1, out);
  fwrite(by_place, sizeof by_place, 1, out);
  for (uint32_t c = 0; c < ctas; c++) fwrite(&(ProfiledCta){0}, sizeof(ProfiledCta), 1, out);
  fclose(out);
}

// The chain is in one queue, the other twelve SMs are without. In 14 cycles all 176 are placed,
// 13 or 14 on each; a queue's owner keeps no more than others take.
static void stealing_balances_a_chain_of_176(void **state) {
  (void)state;
  static const char *const specs[] = {"reuse_chains", "reuse_chains:steal_from=head"};
  for (int i = 0; i < 2; i++) {
    Chip chip;
    new_tree(0);
    write_chain(profile_path, 176);
    chip_init(&chip, specs[i]);
    chip_start(&chip, launch_host(0, 176));
    unlink(profile_path);
    chip_cycle(&chip);
    assert_int_equal(chip.done[0], 13);
    for (int c = 1; c < 14; c++) chip_cycle(&chip);
    assert_int_equal(chip.done[0], 176);
    for (uint32_t s = 0; s < 13; s++) assert_in_range(chip.held[s], 13, 14);
  }
}

// LASER's predictions against that tree, with a threshold of 0.5: A reuses its parent's lines,
// C a sibling's, B its own, D none. The first prediction is for the first child: D.
static void predictions_are_compared_with_true_ratios(void **state) {
  (void)state;
  KernelView views[TREE];
  void *scheduler;
  char spec[160];
  new_tree(0);
  snprintf(spec, sizeof spec, "laser_status:cold_children=1,truth=%s", profile_path);
  new_bench(spec);
  make(&kernel_scheduler_family, "laser_kernels", POLICY_EVERY_SM, &scheduler);
  ReuseMonitor *monitor = part("reuse_monitor", 0);
  monitor->counts[MONITOR_SELF] = (MonitorCounts){.hits = 8, .misses = 2};
  monitor->counts[MONITOR_PARENT_CHILD] = (MonitorCounts){.misses = 10};
  launch_tree(views);
  const LaserTruth *truth = &((const Laser *)part("laser_status", 0))->compared;
  assert_int_equal(policy_bench.failure.status, OK);
  assert_int_equal(truth->known, 3);  // D, the first child of its SM, was given none
  assert_int_equal(truth->same_kind, 1);
  assert_int_equal(truth->kinds[MONITOR_PARENT_CHILD], 1);
  assert_int_equal(truth->kinds[MONITOR_SIBLING], 1);
  assert_int_equal(truth->kinds[MONITOR_SELF], 1);
  assert_int_equal(truth->high, 2);
  assert_int_equal(truth->same_flag, 1);
}

static void another_tree_of_launches_is_an_error(void **state) {
  (void)state;
  KernelView views[TREE];
  void *scheduler;
  new_tree(1);  // B had another grid
  make(&kernel_scheduler_family, "reuse_first", POLICY_EVERY_SM, &scheduler);
  launch_tree(views);
  assert_int_equal(policy_bench.failure.status, ERR_CONFIG);
  assert_non_null(strstr(policy_bench.failure.text, "another kernel, grid or block"));
  // A child more than recorded.
  new_tree(0);
  make(&kernel_scheduler_family, "reuse_first", POLICY_EVERY_SM, &scheduler);
  launch_tree(views);
  assert_int_equal(policy_bench.failure.status, OK);
  launch_child(15, 1, (LaunchOrigin){.parent = ids[P], .parent_cta = 1}, 15);
  assert_non_null(strstr(policy_bench.failure.text, "no counterpart"));
  // One less.
  new_tree(0);
  make(&kernel_scheduler_family, "reuse_first", POLICY_EVERY_SM, &scheduler);
  KernelView parent = launch_in_tree(P);
  launch_in_tree(A);
  assert_int_equal(policy_bench.failure.status, OK);
  end_kernel(&parent);
  assert_non_null(strstr(policy_bench.failure.text, "launched more kernels"));
  unlink(profile_path);
}

static Status make_chains(Error *err) {
  const PolicyType *type;
  void *policy;
  return policy_host_make(&policy_bench, &cta_dispatch_family, "reuse_chains", POLICY_PLACE_GPU,
                          &type, &policy, err);
}

// Of lines, kernels or CTAs: chains of a sample are shorter than the program's.
static void sampled_profiles_are_refused_unless_accepted(void **state) {
  (void)state;
  static const ProfileSample samples[] = {{.one_line_in = 2},
                                          {.one_line_in = 1, .kernels = 5, .kernels_examined = 4},
                                          {.one_line_in = 1, .ctas = 8, .ctas_examined = 3}};
  for (int i = 0; i < 3; i++) {
    Error err;
    sample = samples[i];
    new_tree(0);
    assert_int_equal(make_chains(&err), ERR_CONFIG);
    assert_non_null(strstr(err.text, "a sampled reuse profile"));
    assert_non_null(strstr(err.text, "sampled=true"));
    strcat(profile_spec, ",sampled=true");
    new_bench(profile_spec);
    assert_int_equal(make_chains(&err), OK);
  }
  sample = (ProfileSample){
      .one_line_in = 1, .kernels = 5, .kernels_examined = 5, .ctas = 8, .ctas_examined = 8};
  Error err;
  new_tree(0);
  assert_int_equal(make_chains(&err), OK);
  sample = exact;
  unlink(profile_path);
}

static void damaged_profiles_are_refused(void **state) {
  (void)state;
  ReuseProfile profile;
  Error err;
  new_tree(0);
  assert_int_equal(reuse_profile_open(&profile, profile_path, &err), OK);
  size_t size = profile.mapping_bytes;
  char *good = memory_alloc(size);
  memcpy(good, profile.mapping, size);
  reuse_profile_close(&profile);
  uint32_t refused = 0;
  // Every byte in turn, and every length: an error or a profile, never a crash.
  for (size_t at = 0; at < 2 * size; at++) {
    FILE *out = fopen(profile_path, "wb");
    if (at < size) good[at] = (char)(good[at] ^ 0xff);
    fwrite(good, at < size ? size : at - size, 1, out);
    if (at < size) good[at] = (char)(good[at] ^ 0xff);
    fclose(out);
    bool is_open = reuse_profile_open(&profile, profile_path, &err) == OK;
    if (is_open) reuse_profile_close(&profile);
    refused += !is_open;
    if (!is_open) assert_non_null(strstr(err.text, "--observe reuse_profile"));
    if (at >= size) assert_false(is_open);
  }
  assert_true(refused > size);
  memory_free(good);
  unlink(profile_path);
  assert_int_equal(reuse_profile_open(&profile, profile_path, &err), ERR_IO);
}

// ---- groups of warps

// Section 5: wg1 = (w11, w12), wg2 = (w21, w22) and wg3 = (w3) have high reuse, wg4 = (w41,
// w42) high reuse of its own. Slots 0 to 4 are group 1, slots 5 and 6 group 2.
static void place_worked_example(const WarpSchedulerType *type, void *state) {
  static const struct {
    uint32_t kernel;
    uint64_t cta;
    uint8_t warp;
  } warps[] = {{ids[A], 0, 0}, {ids[A], 0, 1}, {ids[A], 1, 0}, {ids[A], 1, 1},
               {ids[C], 0, 0}, {ids[P], 1, 0}, {ids[P], 1, 1}};
  for (uint8_t w = 0; w < 7; w++)
    type->on_warp(state,
                  &(Requester){.kernel = warps[w].kernel,
                               .cta = warps[w].cta,
                               .warp_in_cta = warps[w].warp,
                               .warp = w},
                  true);
}

static void groups_of_wg1_to_wg4_cycle_by_cycle(void **state) {
  (void)state;
  KernelView views[TREE];
  void *groups;
  new_tree(0);
  const WarpSchedulerType *type =
      (const WarpSchedulerType *)make(&warp_scheduler_family, "reuse_groups", 0, &groups);
  launch_tree(views);
  place_worked_example(type, groups);
  static const struct {
    uint64_t ready;
    int expected;
  } cycles[] = {{0x7f, 0}, {0x7f, 1}, {0x7f, 2},
                {0x7f, 3}, {0x7f, 4},  // group 1, one after the other
                {0x7f, 0},             // ... and again
                {0x7c, 2},             // w11 and w12 wait
                {0x60, 5}, {0x60, 6},  // all of group 1 waits: group 2
                {0x7f, 5},             // greedy: it stays with group 2
                {0x1f, 3},             // group 2 waits: back, behind w21
                {0x7f, 4}, {0x21, 0}, {0x20, 5}};
  for (size_t i = 0; i < sizeof cycles / sizeof *cycles; i++)
    assert_int_equal(issue(type, groups, cycles[i].ready), cycles[i].expected);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(algorithm_1_takes_the_highest_ratio_to_what_runs),
      cmocka_unit_test(algorithm_2_sends_chains_whole_to_the_shortest_queue),
      cmocka_unit_test(predictions_are_compared_with_true_ratios),
      cmocka_unit_test(an_sm_without_a_queue_steals),
      cmocka_unit_test(stealing_balances_a_chain_of_176),
      cmocka_unit_test(another_tree_of_launches_is_an_error),
      cmocka_unit_test(sampled_profiles_are_refused_unless_accepted),
      cmocka_unit_test(damaged_profiles_are_refused),
      cmocka_unit_test(groups_of_wg1_to_wg4_cycle_by_cycle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
