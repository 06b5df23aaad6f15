// SPDX-License-Identifier: MIT
// LASER, LaPerm and OWL without a machine: predictions, status table, queues with stealing,
// groups of warps (Tang et al., SIGMETRICS 2018, section 6).
#include "policies/shared/laser_status.h"
#include "unit/chip_support.h"

// A transaction; is_lowest: the first one of an instruction.
static void read_part(uint32_t sm, uint32_t kernel, uint32_t parent, uint64_t line,
                      bool is_lowest) {
  ReuseMonitor *monitor = part("reuse_monitor", sm);
  const SharedType *type = NULL;
  for (uint32_t i = 0; i < policy_bench.shared_count; i++)
    if (strcmp(policy_bench.shared[i].type->name, "reuse_monitor") == 0)
      type = (const SharedType *)policy_bench.shared[i].type;
  type->on_access(
      monitor, &(L1dAccess){.line = line * 128,
                            .is_lowest = is_lowest,
                            .requester = {.kernel = kernel, .parent = parent, .sm = (uint16_t)sm}});
}

static void read_line(uint32_t sm, uint32_t kernel, uint32_t parent, uint64_t line) {
  read_part(sm, kernel, parent, line, true);
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

// Loads of bytes make a transaction for each 32 bytes of a line.
static void the_monitor_counts_a_line_once_per_instruction(void **state) {
  (void)state;
  void *scheduler;
  new_bench(NULL);
  make(&kernel_scheduler_family, "laser_kernels", POLICY_EVERY_SM, &scheduler);
  const MonitorCounts *self = ((ReuseMonitor *)part("reuse_monitor", 0))->counts + MONITOR_SELF;
  for (uint64_t i = 0; i < 8; i++) read_part(0, 1, 0, i % 2, i == 0);
  assert_int_equal(self->hits, 0);
  assert_int_equal(self->misses, 2);
  read_part(0, 1, 0, 1, true);  // the next instruction of the warp
  assert_int_equal(self->hits, 1);
  read_part(0, 2, 0, 1, false);  // another kernel's, in the same slot
  assert_int_equal(self->misses, 3);
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

// Children that read 20,000 different lines, none of them twice: an exact set would never hit. The
// filters for 1000 lines end up full of ones; cleared at their capacity they stay near the false
// positives that they were made for.
static void a_filter_beyond_its_capacity_hits_by_itself_unless_cleared(void **state) {
  (void)state;
  static const char *const specs[] = {"reuse_monitor:audit=true",
                                      "reuse_monitor:audit=true,clear_when_full=true"};
  double rates[2];
  for (int i = 0; i < 2; i++) {
    void *scheduler;
    new_bench(specs[i]);
    make(&kernel_scheduler_family, "laser_kernels", POLICY_EVERY_SM, &scheduler);
    ReuseMonitor *monitor = part("reuse_monitor", 0);
    for (uint64_t line = 0; line < 20000; line++) read_line(0, 1 + (uint32_t)line / 500, 0, line);
    const MonitorCounts *self = &monitor->counts[MONITOR_SELF];
    assert_int_equal(self->hits + self->misses, 20000);
    assert_int_equal(self->hits, self->false_hits);
    rates[i] = (double)self->hits / 20000;
    assert_int_equal(monitor->clears > 0, i);
  }
  assert_true(rates[0] > 0.8);
  assert_true(rates[1] < 0.06);  // it is half full on average
}

// Random reads of 1000 lines by a parent and eight children, against exact sets. A filter has no
// false negatives; what it has beyond the sets is what `audit` counts. Filters of 64 KB agree with
// the sets.
static void filters_agree_with_exact_sets(void **state) {
  (void)state;
  static const char *const specs[] = {"reuse_monitor:audit=true",
                                      "reuse_monitor:filter_bytes=65536,audit=true"};
  for (int i = 0; i < 2; i++) {
    bool of_parent[1000] = {0}, of_self[9][1000] = {{0}};
    uint64_t random = 7, parent_hits = 0, self_hits = 0;
    void *scheduler;
    new_bench(specs[i]);
    make(&kernel_scheduler_family, "laser_kernels", POLICY_EVERY_SM, &scheduler);
    for (int n = 0; n < 3000; n++) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      uint64_t line = (random >> 33) % 1000;
      uint32_t kernel = (uint32_t)(random >> 50) % 9;
      if (kernel) parent_hits += of_parent[line];
      if (kernel) self_hits += of_self[kernel][line];
      *(kernel ? &of_self[kernel][line] : &of_parent[line]) = true;
      read_line(0, kernel, kernel ? 0 : REQUESTER_NO_PARENT, line);
    }
    const MonitorCounts *counts = ((ReuseMonitor *)part("reuse_monitor", 0))->counts;
    const MonitorCounts *parent = &counts[MONITOR_PARENT_CHILD], *self = &counts[MONITOR_SELF];
    assert_int_equal(parent->hits - parent->false_hits, parent_hits);
    // A line that hits by chance is not added: its later reads are false hits, too.
    assert_true(self->hits >= self_hits && self->hits - self->false_hits <= self_hits);
    if (i) assert_int_equal(self->hits, self_hits);
    if (i) assert_int_equal(parent->false_hits + self->false_hits, 0);
    if (!i) assert_true(self->false_hits > 0);  // holds 2000 lines, made for 1000
  }
}

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

// ---- dispatch

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

// CTA i of every child of a parent CTA goes to one SM; another parent CTA's begin elsewhere.
static void siblings_may_be_placed_by_position(void **state) {
  (void)state;
  Chip chip;
  new_bench(NULL);
  chip_init(&chip, "laser_ctas:place=position,steal=never");
  KernelView parent = launch_host(0, 2);
  (void)parent;
  for (uint32_t k = 0; k < 3; k++)
    chip_start(&chip,
               launch_child(1 + k, 4, (LaunchOrigin){.parent = 0, .parent_cta = k / 2}, 1 + k));
  for (int c = 0; c < 4; c++) chip_cycle(&chip);
  for (int c = 0; c < 4; c++) {
    assert_int_equal(chip.sm_of[0][c], c);
    assert_int_equal(chip.sm_of[1][c], c);
    assert_int_equal(chip.sm_of[2][c], 4 + c);
  }
}

// A CTA on SM 4 launches a kernel, of which as much is dispatched as finds room.
static void dispatch_child_of_sm_4(Chip *chip, const char *spec, uint64_t ctas) {
  new_bench(NULL);
  chip_init(chip, spec);
  KernelView parent = launch_host(0, 1);
  start_cta(&parent, 0, 4);
  chip_start(chip,
             launch_child(1, ctas, (LaunchOrigin){.parent = 0, .depth = 1, .parent_sm = 4}, 1));
  for (int c = 0; c < 64; c++) chip_cycle(chip);
}

// Of 13 SMs, each of four positions has a share of three or four, the same for children of any CTA;
// within a share CTAs go where fewest are queued. A kernel of one CTA may go anywhere.
static void positions_have_shares_of_the_sms(void **state) {
  (void)state;
  static const int first[] = {0, 3, 6, 9, 13};
  Chip chip;
  new_bench(NULL);
  chip_init(&chip, "laser_ctas:place=share,steal=never");
  launch_host(0, 8);
  for (uint32_t k = 0; k < 6; k++)
    chip_start(&chip, launch_child(1 + k, 4, (LaunchOrigin){.parent = 0, .parent_cta = k}, 1 + k));
  for (int c = 0; c < 8; c++) chip_cycle(&chip);
  for (int k = 0; k < 6; k++)
    for (int c = 0; c < 4; c++) assert_in_range(chip.sm_of[k][c], first[c], first[c + 1] - 1);
  for (uint32_t s = 0; s < 9; s++) assert_int_equal(chip.held[s], 2);  // 6 CTAs on 3 SMs
  for (uint32_t s = 9; s < 13; s++) assert_in_range(chip.held[s], 1, 2);
}

// 40 CTAs for one SM, which holds 16: the others take one each, and no second.
static void only_idle_sms_steal_if_told(void **state) {
  (void)state;
  Chip chip;
  dispatch_child_of_sm_4(&chip, "laser_ctas:steal=idle", 40);
  for (uint32_t s = 0; s < 13; s++) assert_int_equal(chip.held[s], s == 4 ? 16 : 1);
  assert_int_equal(chip.done[0], 28);
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
    dispatch_child_of_sm_4(&chip, specs[i], 176);
    assert_int_equal(chip.done[0], 176);
    // Without room on its owner's SM, steal=full: that one is full first.
    for (uint32_t s = 0; s < 13; s++)
      assert_in_range(chip.held[s], 13, s == 4 && strstr(specs[i], "full") ? 16 : 14);
  }
}

// All SMs are empty, and the owner's turn is neither the first nor the last.
static void owners_go_before_thieves(void **state) {
  (void)state;
  static const char *const specs[] = {"laser_ctas", "laperm_ctas"};
  for (size_t i = 0; i < 2; i++) {
    Chip chip;
    dispatch_child_of_sm_4(&chip, specs[i], 1);
    assert_int_equal(chip.sm_of[0][0], 4);
    dispatch_child_of_sm_4(&chip, specs[i], 2);  // the second is free for others in that cycle
    assert_int_equal(chip.held[4], 1);
  }
}

// SM 4 launches kernels of four CTAs, one at a time. It takes one of each; the other three go
// to all SMs in turn, not to its neighbours.
static void thieves_have_turns_of_their_own(void **state) {
  (void)state;
  static const char *const specs[] = {"laser_ctas", "laperm_ctas"};
  for (size_t i = 0; i < 2; i++) {
    Chip chip;
    new_bench(NULL);
    chip_init(&chip, specs[i]);
    KernelView parent = launch_host(0, 1);
    start_cta(&parent, 0, 4);
    for (uint32_t k = 1; k <= 8; k++) {
      LaunchOrigin origin = {.parent = 0, .depth = 1, .parent_sm = 4};
      chip_start(&chip, launch_child(k, 4, origin, k));
      chip_cycle(&chip);
      assert_int_equal(chip.done[k - 1], 4);
    }
    assert_int_equal(chip.held[4], 8);
    for (uint32_t s = 0; s < 13; s++)
      if (s != 4) assert_int_equal(chip.held[s], 2);
  }
}

static void without_stealing_a_queue_belongs_to_its_sm(void **state) {
  (void)state;
  static const char *const specs[] = {"laser_ctas:steal=never", "laperm_ctas:binding=sm"};
  for (size_t i = 0; i < 2; i++) {
    Chip chip;
    dispatch_child_of_sm_4(&chip, specs[i], 20);
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

// ---- groups of warps

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
      cmocka_unit_test(the_monitor_counts_a_line_once_per_instruction),
      cmocka_unit_test(filters_are_emptied_when_a_parent_is_over_and_counters_go_on),
      cmocka_unit_test(filters_agree_with_exact_sets),
      cmocka_unit_test(the_status_table_has_1664_bytes),
      cmocka_unit_test(the_status_table_knows_where_ctas_are),
      cmocka_unit_test(high_priority_kernels_enter_the_queues_first),
      cmocka_unit_test(laperm_takes_the_deepest_kernel),
      cmocka_unit_test(children_go_to_the_sm_of_their_parent),
      cmocka_unit_test(a_filter_beyond_its_capacity_hits_by_itself_unless_cleared),
      cmocka_unit_test(siblings_may_be_placed_by_position),
      cmocka_unit_test(positions_have_shares_of_the_sms),
      cmocka_unit_test(only_idle_sms_steal_if_told),
      cmocka_unit_test(orphans_may_stay_where_they_were_launched),
      cmocka_unit_test(stealing_balances_a_chain_of_176),
      cmocka_unit_test(owners_go_before_thieves),
      cmocka_unit_test(thieves_have_turns_of_their_own),
      cmocka_unit_test(without_stealing_a_queue_belongs_to_its_sm),
      cmocka_unit_test(laperm_prefers_children_and_keeps_the_parent_going),
      cmocka_unit_test(queues_in_memory_take_their_time),
      cmocka_unit_test(ctas_of_a_kernel_that_is_stopped_leave_the_queues),
      cmocka_unit_test(warps_without_reuse_are_scheduled_as_gto_does),
      cmocka_unit_test(laser_groups_children_with_the_warp_that_launched_them),
      cmocka_unit_test(owl_returns_to_the_oldest_group),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
