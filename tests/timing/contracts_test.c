// SPDX-License-Identifier: MIT
// What the machine owes its policies: who is told what and when, that a policy
// which waits is asked again, and that the room it sees is there.
#include "timing/policy_rig.h"

#include "policies/cta_dispatch/cta_dispatch.h"
#include "policies/dram_scheduler/dram_scheduler.h"
#include "policies/throttle/throttle.h"
#include "policies/warp_scheduler/warp_scheduler.h"

// ---- the life cycle

static char life[256];

static void write_down(char event, uint32_t number) {
  size_t used = strlen(life);
  snprintf(life + used, sizeof life - used, "%c%u ", event, number);
}

static void on_launch(void *state, const KernelView *kernel) {
  (void)state;
  write_down('L', kernel->id);
  assert_int_equal(kernel->ctas_waiting, kernel->cta_count);
}
static void on_kernel_start(void *state, const KernelView *kernel) {
  (void)state;
  write_down('K', kernel->id);
  assert_int_equal(kernel->launch->grid[0], kernel->cta_count);
}
static void on_kernel_end(void *state, const KernelView *kernel) {
  (void)state;
  write_down('E', kernel->id);
  assert_int_equal(kernel->ctas_done, kernel->cta_count);
}
static void on_cta_start(void *state, const CtaView *cta) {
  (void)state;
  write_down('c', (uint32_t)cta->cta);
  assert_int_equal(cta->warp_instructions, 0);
}
static void on_cta_end(void *state, const CtaView *cta) {
  (void)state;
  write_down('e', (uint32_t)cta->cta);
  assert_true(cta->warp_instructions > 0);
}

#define LIFE_CYCLE                                                          \
  .on_launch = on_launch, .on_kernel_start = on_kernel_start,               \
  .on_kernel_end = on_kernel_end, .on_cta_start = on_cta_start, .on_cta_end = on_cta_end

static bool first_pick(void *state, const DispatchView *view, const DispatchKernel *kernel,
                       DispatchChoice *choice) {
  (void)state;
  choice->sm = dispatch_next_sm(view, kernel, view->sm_count - 1);
  choice->cta = kernel->next_cta;
  return true;
}
static bool witness_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  return dispatch_by_kernel(state, view, choice, first_pick);
}
static const CtaDispatchType witness = {
    .policy = {.name = "witness", .summary = "writes down", LIFE_CYCLE}, .pick = witness_pick};

// The same of a family that has one state per scheduler: those of SM 0 only hear of its CTAs.
static const WarpSchedulerType listening = {
    .policy = {.name = "listening", .summary = "writes down", LIFE_CYCLE}, .one_per_sm = true};

static void a_policy_hears_of_kernels_and_ctas_in_order(void **state) {
  (void)state;
  PolicySet set = set_of("cta_dispatch", &witness.policy);
  life[0] = '\0';
  run_scheme("saxpy", "tiny", "witness", &set);
  assert_string_equal(life, "L0 K0 c0 c1 c2 c3 e0 e1 e2 e3 E0 ");
  policy_set_clear(&set);
}

static int oldest_pick(void *state, const IssueView *view) {
  (void)state;
  return oldest_warp(view->age, view->candidates);
}

static void a_policy_of_an_sm_hears_of_its_own_ctas(void **state) {
  (void)state;
  WarpSchedulerType type = listening;
  type.pick = oldest_pick;
  PolicySet set = set_of("warp_scheduler", &type.policy);
  life[0] = '\0';
  run_scheme("saxpy", "tiny", "listening", &set);
  // tiny has two SMs with a state each, so both hear of the kernel, one of each CTA.
  assert_string_equal(life, "L0 L0 K0 K0 c0 c1 c2 c3 e0 e1 e2 e3 E0 E0 ");
  policy_set_clear(&set);
}

// ---- dispatch that waits

static Cycle wait_until;  // multiples of it; asked again as the policy says
static bool says_when;

static bool late_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  (void)state;
  if (view->now % wait_until == 0) return dispatch_by_kernel(state, view, choice, first_pick);
  assert_int_equal(choice->ask_again, view->now + 1);
  if (says_when) choice->ask_again = view->now / wait_until * wait_until + wait_until;
  return false;
}
static const CtaDispatchType late = {.policy = {.name = "late", .summary = "waits"},
                                     .pick = late_pick};

static void a_dispatch_that_waits_is_asked_again(void **state) {
  (void)state;
  PolicySet set = set_of("cta_dispatch", &late.policy);
  uint64_t before = run_scheme("saxpy", "tiny", "round_robin", &set).stats.cycles;
  static const Cycle waits[] = {2, 3, 5000};
  for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
    wait_until = waits[i];
    says_when = false;
    uint64_t every_cycle = run_scheme("saxpy", "tiny", "late", &set).stats.cycles;
    says_when = true;
    assert_int_equal(run_scheme("saxpy", "tiny", "late", &set).stats.cycles, every_cycle);
    // Two SMs in clusters of their own: CTAs leave in two such cycles at most.
    assert_in_range(every_cycle, waits[i], before + 2 * waits[i]);
  }
  policy_set_clear(&set);
}

// ---- room

static uint32_t most_free;

static bool room_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  for (uint32_t k = 0; k < view->kernel_count; k++)
    for (uint32_t s = 0; s < view->sm_count; s++)
      if (view->kernels[k].free_ctas[s] > most_free) most_free = view->kernels[k].free_ctas[s];
  return dispatch_by_kernel(state, view, choice, first_pick);
}
static const CtaDispatchType room = {.policy = {.name = "room", .summary = "looks"},
                                     .pick = room_pick};

static void free_ctas_are_within_the_throttles_limit(void **state) {
  (void)state;
  PolicySet set = set_of("cta_dispatch", &room.policy);
  for (uint32_t limit = 1; limit <= 3; limit++) {
    char scheme[64];
    snprintf(scheme, sizeof scheme, "room + fixed:ctas=%u", limit);
    most_free = 0;
    run_scheme("saxpy", "tiny", scheme, &set);
    assert_int_equal(most_free, limit < 2 ? limit : 2);  // two fit
  }
  policy_set_clear(&set);
}

// A throttle that allows so many CTAs and writes down where they go.
enum { MOST_CTAS = 64 };
static uint32_t allowed, sm_of[MOST_CTAS];

static uint32_t watching_limit(void *state, const ThrottleView *view) {
  (void)state, (void)view;
  return allowed;
}
static void note_place(void *state, const CtaView *cta) {
  (void)state;
  if (cta->cta < MOST_CTAS) sm_of[cta->cta] = cta->sm;
}
static const ThrottleType watching = {
    .policy = {.name = "watching", .summary = "a limit", .on_cta_start = note_place},
    .limit = watching_limit};

static void blocks_stay_together_under_a_throttle(void **state) {
  (void)state;
  PolicySet set = set_of("throttle", &watching.policy);
  static const char *const policies[] = {"block + watching", "distributed_block + watching"};
  for (int i = 0; i < 2; i++)
    for (allowed = 2; allowed <= 3; allowed++) {
      memset(sm_of, 0xff, sizeof sm_of);
      run_scheme("vecadd", "tiny", policies[i], &set);
      for (uint32_t pair = 0; pair < 8; pair += 2) assert_int_equal(sm_of[pair], sm_of[pair + 1]);
    }
  allowed = 1;  // no SM can ever hold two: blocks of one
  run_scheme("vecadd", "tiny", "block + watching", &set);
  policy_set_clear(&set);
}

// ---- issue

static uint64_t issues;

static void count_issue(void *state, const IssueView *view, int warp) {
  (void)state;
  assert_true(view->candidates >> warp & 1);
  issues++;
}
static const WarpSchedulerType counting = {
    .policy = {.name = "counting", .summary = "counts"}, .pick = oldest_pick, .on_issue = count_issue};

static void every_instruction_is_told_also_the_second_of_a_cycle(void **state) {
  (void)state;
  PolicySet set = set_of("warp_scheduler", &counting.policy);
  static const char *const gpus[] = {"gtx480", "k40", "gtx980", "gtx1080"};
  for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
    issues = 0;
    MachineStats stats = run_scheme("mm_tiled", gpus[i], "counting", &set).stats;
    assert_int_equal(issues, stats.sm.warp_instructions);
  }
  policy_set_clear(&set);
}

// ---- who asks

static uint64_t asked;

// Instruction fetches, too: the host launched the kernel, so nobody has a parent.
static uint32_t asking_pick(void *state, const DramBankView *view) {
  (void)state;
  for (uint32_t i = 0; i < view->request_count; i++) {
    if (!view->requesters[i]) continue;
    assert_int_equal(view->requesters[i]->parent, REQUESTER_NO_PARENT);
    assert_in_range(view->requesters[i]->sm, 0, 1);
    asked++;
  }
  return 0;
}
static const DramSchedulerType asking = {.policy = {.name = "asking", .summary = "looks"},
                                         .pick = asking_pick};

static void every_request_says_who_asks(void **state) {
  (void)state;
  PolicySet set = set_of("dram_scheduler", &asking.policy);
  asked = 0;
  run_scheme("saxpy", "tiny", "asking", &set);
  assert_true(asked > 0);
  policy_set_clear(&set);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_policy_hears_of_kernels_and_ctas_in_order),
      cmocka_unit_test(a_policy_of_an_sm_hears_of_its_own_ctas),
      cmocka_unit_test(a_dispatch_that_waits_is_asked_again),
      cmocka_unit_test(free_ctas_are_within_the_throttles_limit),
      cmocka_unit_test(blocks_stay_together_under_a_throttle),
      cmocka_unit_test(every_instruction_is_told_also_the_second_of_a_cycle),
      cmocka_unit_test(every_request_says_who_asks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
