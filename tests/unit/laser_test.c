// SPDX-License-Identifier: MIT
// LASER, LaPerm, OWL and the limit study without a machine: predictions, status table, queues
// with stealing, groups of warps, algorithms 1 and 2 (Tang et al., SIGMETRICS 2018).
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "policies/cta_dispatch/cta_queues.h"
#include "policies/kernel_scheduler/kernel_scheduler.h"
#include "policies/shared/laser_status.h"
#include "policies/shared/profiled_reuse.h"
#include "policies/warp_scheduler/warp_scheduler.h"
#include "unit/policy_support.h"

// ---- a bench of 13 SMs whose policies share parts

static void new_bench(const char *shared_specs) {
  MachineView machine = {.sm_count = 13,
                         .sms_per_cluster = 1,
                         .cluster_count = 13,
                         .max_warps = 64,
                         .max_ctas = 16,
                         .warp_schedulers = 1,
                         .l1d_bytes = 32768,
                         .l1d_line_bytes = 128,
                         .hardware_queues = 32};
  policy_host_clear(&policy_bench);
  policy_host_init(&policy_bench, &machine, NULL, shared_specs);
}

static const PolicyType *make(const PolicyFamily *family, const char *spec, uint32_t sm,
                              void **state) {
  const PolicyType *type;
  Error err = {0};
  PolicyPlace place = {.sm = sm, .cluster = sm};
  if (policy_host_make(&policy_bench, family, spec, place, &type, state, &err) != OK)
    fail_msg("%s: %s", spec, err.text);
  return type;
}

static void *part(const char *name, uint32_t sm) {
  for (uint32_t i = 0; i < policy_bench.shared_count; i++)
    if (strcmp(policy_bench.shared[i].type->name, name) == 0)
      return policy_bench.shared[i].states[policy_bench.shared[i].per_sm ? sm : 0];
  fail_msg("no shared part %s", name);
  return NULL;
}

// ---- kernels and CTAs of no program

enum { MOST = 512 };
static Launch launches[MOST];
static Function function = {.name = "kernel"};

static KernelView kernel_view(uint32_t id, uint64_t ctas) {
  launches[id].kernel = &function;
  launches[id].grid[0] = (uint32_t)ctas;
  launches[id].grid[1] = launches[id].grid[2] = 1;
  launches[id].block[0] = 32;
  launches[id].block[1] = launches[id].block[2] = 1;
  return (KernelView){.id = id, .launch = &launches[id], .cta_count = ctas};
}

static KernelView launch_host(uint32_t id, uint64_t ctas) {
  launches[id] = (Launch){0};
  KernelView view = kernel_view(id, ctas);
  policy_host_launch(&policy_bench, &view);
  return view;
}

static KernelView launch_child(uint32_t id, uint64_t ctas, LaunchOrigin origin, uint64_t number) {
  launches[id] = (Launch){.origin = origin};
  launches[id].origin.has_parent = true;
  KernelView view = kernel_view(id, ctas);
  view.launch_number = number;
  policy_host_child_launch(&policy_bench,
                           &(ChildLaunchView){.launch = &launches[id], .number = number});
  policy_host_launch(&policy_bench, &view);
  return view;
}

static void start_cta(const KernelView *kernel, uint64_t cta, uint32_t sm) {
  policy_host_cta_start(&policy_bench, &(CtaView){.kernel = kernel, .cta = cta, .sm = sm});
}
static void end_cta(const KernelView *kernel, uint64_t cta, uint32_t sm) {
  policy_host_cta_end(&policy_bench, &(CtaView){.kernel = kernel, .cta = cta, .sm = sm});
}

static void end_kernel(KernelView *kernel) {
  kernel->ctas_done = kernel->cta_count;
  policy_host_kernel_end(&policy_bench, kernel);
}

static void read_line(uint32_t sm, uint32_t kernel, uint32_t parent, uint64_t line) {
  ReuseMonitor *monitor = part("reuse_monitor", sm);
  const SharedType *type = NULL;
  for (uint32_t i = 0; i < policy_bench.shared_count; i++)
    if (strcmp(policy_bench.shared[i].type->name, "reuse_monitor") == 0)
      type = (const SharedType *)policy_bench.shared[i].type;
  type->on_access(monitor,
                  &(L1dAccess){.line = line * 128,
                               .who = {.kernel = kernel, .parent = parent, .sm = (uint16_t)sm}});
}

// ---- the reuse monitor

static void the_monitor_tells_whose_lines_a_child_reads(void **state) {
  (void)state;
  void *scheduler;
  new_bench(NULL);
  make(&kernel_scheduler_family, "laser_kernels", POLICY_EVERY_SM, &scheduler);
  ReuseMonitor *monitor = part("reuse_monitor", 3);
  assert_true(reuse_monitor_is_cold(monitor));
  for (uint64_t line = 0; line < 100; line++) read_line(3, 0, REQUESTER_NO_PARENT, line);
  assert_true(reuse_monitor_is_cold(monitor));  // parents only fill it
  assert_int_equal(reuse_monitor_predict(monitor), MONITOR_NONE);
  for (uint64_t line = 0; line < 100; line++) read_line(3, 1, 0, line);
  assert_int_equal(monitor->counts[MONITOR_PARENT_CHILD].hits, 100);
  assert_int_equal(reuse_monitor_predict(monitor), MONITOR_PARENT_CHILD);
  // Another child of new lines, then a sibling of the same ones.
  for (uint64_t line = 5000; line < 5400; line++) read_line(3, 2, 0, line);
  assert_int_equal(reuse_monitor_predict(monitor), MONITOR_NONE);
  for (int again = 0; again < 3; again++)
    for (uint64_t line = 5000; line < 5400; line++) read_line(3, 3 + (uint32_t)again, 0, line);
  assert_int_equal(reuse_monitor_predict(monitor), MONITOR_SIBLING);
  // One kernel that reads a line again and again.
  for (int again = 0; again < 20000; again++) read_line(3, 7, 0, 9999);
  assert_int_equal(reuse_monitor_predict(monitor), MONITOR_SELF);
  assert_true(reuse_monitor_is_cold(part("reuse_monitor", 4)));  // each SM has its own
}

static void filters_are_emptied_when_a_parent_is_over_and_counters_go_on(void **state) {
  (void)state;
  void *scheduler;
  new_bench(NULL);
  make(&kernel_scheduler_family, "laser_kernels", POLICY_EVERY_SM, &scheduler);
  ReuseMonitor *monitor = part("reuse_monitor", 0);
  KernelView parent = launch_host(0, 1);
  read_line(0, 0, REQUESTER_NO_PARENT, 7);
  KernelView child = launch_child(1, 1, (LaunchOrigin){.parent = 0}, 1);
  end_kernel(&parent);
  assert_int_equal(monitor->resets, 0);  // its child is still in flight
  read_line(0, 1, 0, 7);
  assert_int_equal(monitor->counts[MONITOR_PARENT_CHILD].hits, 1);
  end_kernel(&child);
  assert_int_equal(monitor->resets, 1);
  assert_int_equal(monitor->counts[MONITOR_PARENT_CHILD].hits, 1);
  read_line(0, 1, 0, 7);
  assert_int_equal(monitor->counts[MONITOR_PARENT_CHILD].misses, 1);
}

// ---- hardware

// Tang et al.: 13 SMs with 16 entries of 4 + 4 bytes are 1664 bytes; a monitor has three
// filters of 605 bytes, "2 KB" with its counters.
static void the_status_table_has_1664_bytes(void **state) {
  (void)state;
  void *scheduler;
  new_bench(NULL);
  make(&kernel_scheduler_family, "laser_kernels", POLICY_EVERY_SM, &scheduler);
  const PolicyType *status, *monitor;
  Error err;
  assert_int_equal(policy_find(&shared_family, NULL, "laser_status", &status, &err), OK);
  assert_int_equal(policy_find(&shared_family, NULL, "reuse_monitor", &monitor, &err), OK);
  assert_int_equal(13 * status->storage_bits(part("laser_status", 0), 64) / 8, 1664);
  uint64_t bytes = monitor->storage_bits(part("reuse_monitor", 0), 64) / 8;
  assert_in_range(bytes, 3 * 605, 2048);
}

static void the_status_table_knows_where_ctas_are(void **state) {
  (void)state;
  void *scheduler;
  new_bench(NULL);
  make(&kernel_scheduler_family, "laser_kernels", POLICY_EVERY_SM, &scheduler);
  const Laser *laser = part("laser_status", 0);
  KernelView kernel = launch_host(5, 100);
  start_cta(&kernel, 42, 9);
  assert_int_equal(laser_where(laser, 5, 42), 9);
  assert_int_equal(laser_where(laser, 5, 41), LASER_NOWHERE);
  end_cta(&kernel, 42, 9);
  assert_int_equal(laser_where(laser, 5, 42), LASER_NOWHERE);
  for (uint64_t cta = 0; cta < 17; cta++) start_cta(&kernel, cta, 2);
  assert_int_equal(laser_where(laser, 5, 15), 2);
  assert_int_equal(laser_where(laser, 5, 16), LASER_NOWHERE);  // 16 entries
}

// ---- priority flags and the two queues

static uint32_t pick(const PolicyType *type, void *state, const KernelView *pending, uint32_t count,
                     const KernelView *running, uint32_t running_count) {
  return kernel_scheduler_pick((const KernelSchedulerType *)type, state,
                               &(KernelQueueView){.pending = pending,
                                                  .pending_count = count,
                                                  .running = running,
                                                  .running_count = running_count,
                                                  .queue_count = 32});
}

static void high_priority_kernels_enter_the_queues_first(void **state) {
  (void)state;
  void *scheduler;
  new_bench("laser_status:cold_children=1");
  const PolicyType *type =
      make(&kernel_scheduler_family, "laser_kernels", POLICY_EVERY_SM, &scheduler);
  launch_host(0, 1);
  LaunchOrigin from = {.parent = 0, .parent_sm = 1};
  KernelView cold = launch_child(1, 1, from, 1);
  for (uint64_t line = 0; line < 50; line++) read_line(1, 1, 0, line);  // no reuse at all
  KernelView low = launch_child(2, 1, from, 2);
  for (uint64_t line = 0; line < 50; line++) read_line(1, 0, REQUESTER_NO_PARENT, line);
  for (int again = 0; again < 4; again++)
    for (uint64_t line = 0; line < 50; line++) read_line(1, 1 + (uint32_t)again, 0, line);
  KernelView high = launch_child(3, 1, from, 3);
  const Laser *laser = part("laser_status", 0);
  assert_true(laser_kernel(laser, 1).is_cold && laser_kernel(laser, 1).is_high);
  assert_false(laser_kernel(laser, 2).is_high);
  assert_int_equal(laser_kernel(laser, 3).prediction, MONITOR_PARENT_CHILD);
  KernelView both[] = {low, high, cold};
  assert_int_equal(pick(type, scheduler, both, 3, NULL, 0), 1);
  KernelView rest[] = {low, cold};
  assert_int_equal(pick(type, scheduler, rest, 2, NULL, 0), 1);
  assert_int_equal(pick(type, scheduler, &low, 1, NULL, 0), 0);
}

static void laperm_takes_the_deepest_kernel(void **state) {
  (void)state;
  void *scheduler;
  new_bench(NULL);
  const PolicyType *type =
      make(&kernel_scheduler_family, "laperm_kernels:levels=3", POLICY_EVERY_SM, &scheduler);
  KernelView views[4];
  static const uint32_t depths[] = {0, 1, 7, 2};
  for (uint32_t i = 0; i < 4; i++) {
    launches[i] = (Launch){.origin.depth = depths[i]};
    views[i] = kernel_view(i, 1);
  }
  assert_int_equal(pick(type, scheduler, views, 4, NULL, 0), 2);  // 7 and 2 are both the highest
  assert_int_equal(pick(type, scheduler, views, 2, NULL, 0), 1);
}

// ---- dispatch on 13 SMs with 16 places each

typedef struct Chip {
  const CtaDispatchType *type;
  void *state;
  uint32_t held[13];
  KernelView kernels[8];
  uint32_t kernel_count;
  int sm_of[8][MOST];
  uint64_t out[8][MOST / 64], done[8];
} Chip;

static void chip_init(Chip *chip, const char *spec) {
  memset(chip, 0, sizeof *chip);
  chip->type =
      (const CtaDispatchType *)make(&cta_dispatch_family, spec, POLICY_EVERY_SM, &chip->state);
  for (int k = 0; k < 8; k++)
    for (int c = 0; c < MOST; c++) chip->sm_of[k][c] = -1;
}

static void chip_start(Chip *chip, KernelView kernel) {
  chip->kernels[chip->kernel_count++] = kernel;
  policy_host_kernel_start(&policy_bench, &kernel);
}

// Dispatches one CTA; each SM takes at most one in a cycle.
static bool chip_dispatch(Chip *chip, uint64_t took, uint32_t *sm) {
  DispatchKernel kernels[8];
  uint32_t free_ctas[13], index_of[8], count = 0;
  uint64_t room = 0;
  for (uint32_t s = 0; s < 13; s++) {
    free_ctas[s] = 16 - chip->held[s];
    if (free_ctas[s] && !(took >> s & 1)) room |= UINT64_C(1) << s;
  }
  for (uint32_t k = 0; k < chip->kernel_count; k++) {
    if (chip->done[k] == chip->kernels[k].cta_count) continue;
    index_of[count] = k;
    uint64_t next = 0;
    while (chip->sm_of[k][next] >= 0) next++;
    kernels[count++] = (DispatchKernel){.view = chip->kernels[k],
                                        .next_cta = next,
                                        .dispatched = chip->out[k],
                                        .free_ctas = free_ctas,
                                        .room = &room,
                                        .has_room = room != 0};
  }
  if (!count || !room) return false;
  DispatchView view = {
      .kernels = kernels, .kernel_count = count, .sm_count = 13, .sms_per_cluster = 1};
  DispatchChoice choice = {0};
  if (!chip->type->pick(chip->state, &view, &choice)) return false;
  uint32_t k = index_of[choice.kernel];
  assert_true(choice.sm < 13 && room >> choice.sm & 1);
  assert_true(choice.cta < chip->kernels[k].cta_count && chip->sm_of[k][choice.cta] < 0);
  chip->sm_of[k][choice.cta] = (int)choice.sm;
  chip->out[k][choice.cta / 64] |= UINT64_C(1) << choice.cta % 64;
  chip->done[k]++;
  chip->held[choice.sm]++;
  start_cta(&chip->kernels[k], choice.cta, choice.sm);
  *sm = choice.sm;
  return true;
}

static void chip_cycle(Chip *chip) {
  uint64_t took = 0;
  for (uint32_t sm; chip_dispatch(chip, took, &sm);) took |= UINT64_C(1) << sm;
}

// The first parent goes round robin, its child to the SM of the CTA that launched it.
static void children_go_to_the_sm_of_their_parent(void **state) {
  (void)state;
  Chip chip;
  new_bench(NULL);
  chip_init(&chip, "laser_ctas:steal=full");
  chip_start(&chip, launch_host(0, 26));
  chip_cycle(&chip);
  chip_cycle(&chip);
  for (int cta = 0; cta < 26; cta++) assert_int_equal(chip.sm_of[0][cta], cta % 13);
  LaunchOrigin from = {.parent = 0, .parent_cta = 18, .parent_sm = 5};
  chip_start(&chip, launch_child(1, 4, from, 1));
  for (int i = 0; i < 4; i++) chip_cycle(&chip);
  for (int cta = 0; cta < 4; cta++) assert_int_equal(chip.sm_of[1][cta], 5);
  // The parent CTA has completed: its children go to the shortest queue, or stay.
  end_cta(&chip.kernels[0], 18, 5);
  chip_start(&chip, launch_child(2, 2, from, 2));
  for (int i = 0; i < 2; i++) chip_cycle(&chip);
  assert_int_equal(chip.sm_of[2][0], 0);
  assert_int_equal(chip.sm_of[2][1], 0);
}

static void orphans_may_stay_where_they_were_launched(void **state) {
  (void)state;
  Chip chip;
  new_bench(NULL);
  chip_init(&chip, "laser_ctas:steal=full,orphans=stay");
  launch_host(0, 1);
  chip_start(&chip, launch_child(1, 3, (LaunchOrigin){.parent = 0, .parent_sm = 7}, 1));
  for (int i = 0; i < 3; i++) chip_cycle(&chip);
  for (int cta = 0; cta < 3; cta++) assert_int_equal(chip.sm_of[0][cta], 7);
}

// All 176 CTAs of a child are in one queue (Radixsort's longest chain). SMs steal when their
// queue is empty: the chip is full at once, and no SM has more than the others.
static void stealing_balances_a_chain_of_176(void **state) {
  (void)state;
  static const char *const specs[] = {"laser_ctas", "laser_ctas:steal_from=head",
                                      "laser_ctas:steal=full", "laperm_ctas"};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    Chip chip;
    new_bench(NULL);
    chip_init(&chip, specs[i]);
    KernelView parent = launch_host(0, 1);
    start_cta(&parent, 0, 4);
    chip_start(&chip,
               launch_child(1, 176, (LaunchOrigin){.parent = 0, .depth = 1, .parent_sm = 4}, 1));
    for (int c = 0; c < 64; c++) chip_cycle(&chip);
    assert_int_equal(chip.done[0], 176);
    for (uint32_t s = 0; s < 13; s++) assert_in_range(chip.held[s], 13, 16);
  }
}

static void without_stealing_a_queue_belongs_to_its_sm(void **state) {
  (void)state;
  static const char *const specs[] = {"laser_ctas:steal=never", "laperm_ctas:binding=sm"};
  for (size_t i = 0; i < 2; i++) {
    Chip chip;
    new_bench(NULL);
    chip_init(&chip, specs[i]);
    KernelView parent = launch_host(0, 1);
    start_cta(&parent, 0, 4);
    chip_start(&chip,
               launch_child(1, 20, (LaunchOrigin){.parent = 0, .depth = 1, .parent_sm = 4}, 1));
    for (int c = 0; c < 64; c++) chip_cycle(&chip);
    assert_int_equal(chip.held[4], 16);
    assert_int_equal(chip.done[0], 16);
    chip.held[4] = 10;
    for (int c = 0; c < 64; c++) chip_cycle(&chip);
    assert_int_equal(chip.done[0], 20);
  }
}

// LaPerm: a child's CTAs go before the rest of its parent's, on the parent's SM; others go on
// with the parent, and help only when that is done.
static void laperm_prefers_children_and_keeps_the_parent_going(void **state) {
  (void)state;
  Chip chip;
  new_bench(NULL);
  chip_init(&chip, "laperm_ctas");
  chip_start(&chip, launch_host(0, 40));
  chip_cycle(&chip);
  chip_start(&chip, launch_child(1, 2, (LaunchOrigin){.parent = 0, .depth = 1, .parent_sm = 6}, 1));
  chip_cycle(&chip);
  assert_int_equal(chip.sm_of[1][0], 6);
  assert_int_equal(chip.sm_of[1][1], -1);
  assert_int_equal(chip.done[0], 25);  // the 12 other SMs took parents
  chip_cycle(&chip);
  assert_int_equal(chip.sm_of[1][1], 6);
}

// A queue's CTAs can be fetched after queue_cycles.
static void queues_in_memory_take_their_time(void **state) {
  (void)state;
  void *dispatch;
  new_bench(NULL);
  const CtaDispatchType *type = (const CtaDispatchType *)make(
      &cta_dispatch_family, "laser_ctas:queue_cycles=400", POLICY_EVERY_SM, &dispatch);
  KernelView kernel = launch_host(0, 4);
  kernel.now = 1000;
  policy_host_kernel_start(&policy_bench, &kernel);
  uint64_t room = 0x1fff, out = 0;
  uint32_t free_ctas[13];
  for (int s = 0; s < 13; s++) free_ctas[s] = 16;
  DispatchKernel shown = {
      .view = kernel, .dispatched = &out, .free_ctas = free_ctas, .room = &room, .has_room = true};
  DispatchView view = {
      .now = 1000, .kernels = &shown, .kernel_count = 1, .sm_count = 13, .sms_per_cluster = 1};
  DispatchChoice choice = {.ask_again = 1001};
  assert_false(type->pick(dispatch, &view, &choice));
  assert_int_equal(choice.ask_again, 1400);
  view.now = 1400;
  assert_true(type->pick(dispatch, &view, &choice));
}

static void ctas_of_a_kernel_that_is_stopped_leave_the_queues(void **state) {
  (void)state;
  Chip chip;
  new_bench(NULL);
  chip_init(&chip, "laser_ctas");
  chip_start(&chip, launch_host(0, 400));
  chip_cycle(&chip);
  policy_host_kernel_end(&policy_bench, &chip.kernels[0]);
  chip.done[0] = 400;
  chip_start(&chip, launch_host(1, 13));
  chip_cycle(&chip);
  assert_int_equal(chip.done[1], 13);
}

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
                               .chain_count = 2};
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
                             .children = k == P ? 4 : 0};
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
  assert_non_null(strstr(policy_bench.failure.text, "launched nothing"));
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

static int issue(const WarpSchedulerType *type, void *state, uint64_t candidates) {
  static const uint64_t age[64] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  IssueView view = {.candidates = candidates, .resident = 0x7f, .age = age, .scheduler_count = 1};
  int warp = warp_scheduler_pick(type, state, &view);
  if (type->on_issue) type->on_issue(state, &view, warp);
  return warp;
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

// Without groups it is greedy-then-oldest.
static void warps_without_reuse_are_scheduled_as_gto_does(void **state) {
  (void)state;
  static const char *const names[] = {"reuse_groups", "laser_warps"};
  uint64_t random = 88172645463325252u;
  for (int n = 0; n < 2; n++) {
    void *groups, *gto;
    new_bench(NULL);
    const WarpSchedulerType *type =
        (const WarpSchedulerType *)make(&warp_scheduler_family, names[n], 0, &groups);
    const WarpSchedulerType *old =
        (const WarpSchedulerType *)make(&warp_scheduler_family, "gto", 0, &gto);
    for (uint8_t w = 0; w < 7; w++)
      type->on_warp(groups,
                    &(Requester){.kernel = 1, .cta = w / 2, .warp_in_cta = w % 2, .warp = w}, true);
    for (int i = 0; i < 1000; i++) {
      random ^= random << 13, random ^= random >> 7, random ^= random << 17;
      uint64_t ready = (random >> 20 & 0x7f) | 1u << random % 7;
      assert_int_equal(issue(type, groups, ready), issue(old, gto, ready));
    }
  }
}

// LASER: a child predicted to reuse its parent's data joins the warp that launched it.
static void laser_groups_children_with_the_warp_that_launched_them(void **state) {
  (void)state;
  void *warps;
  new_bench("laser_status:cold_children=0");
  const WarpSchedulerType *type =
      (const WarpSchedulerType *)make(&warp_scheduler_family, "laser_warps", 0, &warps);
  launch_host(0, 2);
  read_line(0, 0, REQUESTER_NO_PARENT, 1);
  read_line(0, 99, 0, 1);  // the parent's line
  launch_child(1, 1, (LaunchOrigin){.parent = 0, .parent_cta = 1, .parent_thread = 40}, 1);
  static const struct {
    uint32_t kernel;
    uint64_t cta;
    uint8_t warp;
  } at[] = {{0, 1, 0}, {0, 1, 1}, {1, 0, 0}, {1, 0, 1}};
  for (uint8_t w = 0; w < 4; w++)
    type->on_warp(
        warps,
        &(Requester){
            .kernel = at[w].kernel, .cta = at[w].cta, .warp_in_cta = at[w].warp, .warp = w},
        true);
  // Slot 0 alone; slot 1, which launched, with slots 2 and 3.
  assert_int_equal(issue(type, warps, 0xf), 0);
  assert_int_equal(issue(type, warps, 0xf), 0);
  assert_int_equal(issue(type, warps, 0xe), 1);
  assert_int_equal(issue(type, warps, 0xf), 2);
  assert_int_equal(issue(type, warps, 0xf), 3);
  assert_int_equal(issue(type, warps, 0xf), 1);
  assert_int_equal(issue(type, warps, 0x1), 0);
}

// OWL: groups of CTAs with 4 warps; the oldest group first, round robin in it.
static void owl_returns_to_the_oldest_group(void **state) {
  (void)state;
  void *owl;
  new_bench(NULL);
  const WarpSchedulerType *type =
      (const WarpSchedulerType *)make(&warp_scheduler_family, "owl:group_warps=4", 0, &owl);
  for (uint8_t w = 0; w < 7; w++)
    type->on_warp(owl, &(Requester){.kernel = 0, .cta = w / 2, .warp_in_cta = w % 2, .warp = w},
                  true);
  static const struct {
    uint64_t ready;
    int expected;
  } cycles[] = {{0x7f, 0}, {0x7f, 1}, {0x7f, 2}, {0x7f, 3}, {0x7f, 0},
                {0x70, 4}, {0x70, 5}, {0x78, 3}, {0x70, 6}, {0x7f, 0}};
  for (size_t i = 0; i < sizeof cycles / sizeof *cycles; i++)
    assert_int_equal(issue(type, owl, cycles[i].ready), cycles[i].expected);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_monitor_tells_whose_lines_a_child_reads),
      cmocka_unit_test(filters_are_emptied_when_a_parent_is_over_and_counters_go_on),
      cmocka_unit_test(the_status_table_has_1664_bytes),
      cmocka_unit_test(the_status_table_knows_where_ctas_are),
      cmocka_unit_test(high_priority_kernels_enter_the_queues_first),
      cmocka_unit_test(laperm_takes_the_deepest_kernel),
      cmocka_unit_test(children_go_to_the_sm_of_their_parent),
      cmocka_unit_test(orphans_may_stay_where_they_were_launched),
      cmocka_unit_test(stealing_balances_a_chain_of_176),
      cmocka_unit_test(without_stealing_a_queue_belongs_to_its_sm),
      cmocka_unit_test(laperm_prefers_children_and_keeps_the_parent_going),
      cmocka_unit_test(queues_in_memory_take_their_time),
      cmocka_unit_test(ctas_of_a_kernel_that_is_stopped_leave_the_queues),
      cmocka_unit_test(algorithm_1_takes_the_highest_ratio_to_what_runs),
      cmocka_unit_test(algorithm_2_sends_chains_whole_to_the_shortest_queue),
      cmocka_unit_test(an_sm_without_a_queue_steals),
      cmocka_unit_test(another_tree_of_launches_is_an_error),
      cmocka_unit_test(damaged_profiles_are_refused),
      cmocka_unit_test(groups_of_wg1_to_wg4_cycle_by_cycle),
      cmocka_unit_test(warps_without_reuse_are_scheduled_as_gto_does),
      cmocka_unit_test(laser_groups_children_with_the_warp_that_launched_them),
      cmocka_unit_test(owl_returns_to_the_oldest_group),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
