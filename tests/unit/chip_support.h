// SPDX-License-Identifier: MIT
// Policies on a chip of 13 SMs with 16 CTA slots each, without a machine: kernels and CTAs of
// no program, launches and dispatch by hand.
#ifndef TESTS_UNIT_CHIP_SUPPORT_H
#define TESTS_UNIT_CHIP_SUPPORT_H

#include <string.h>

#include "policies/cta_dispatch/cta_dispatch.h"
#include "policies/kernel_scheduler/kernel_scheduler.h"
#include "policies/warp_scheduler/warp_scheduler.h"
#include "unit/policy_support.h"

// ---- a bench of 13 SMs whose policies share parts

static inline void new_bench(const char *shared_specs) {
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

static inline const PolicyType *make(const PolicyFamily *family, const char *spec, uint32_t sm,
                                     void **state) {
  const PolicyType *type;
  Error err = {0};
  PolicyPlace place = {.sm = sm, .cluster = sm};
  if (policy_host_make(&policy_bench, family, spec, place, &type, state, &err) != OK)
    fail_msg("%s: %s", spec, err.text);
  return type;
}

static inline void *part(const char *name, uint32_t sm) {
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

static inline KernelView kernel_view(uint32_t id, uint64_t ctas) {
  launches[id].kernel = &function;
  launches[id].grid[0] = (uint32_t)ctas;
  launches[id].grid[1] = launches[id].grid[2] = 1;
  launches[id].block[0] = 32;
  launches[id].block[1] = launches[id].block[2] = 1;
  return (KernelView){.id = id, .launch = &launches[id], .cta_count = ctas, .max_ctas_per_sm = 16};
}

static inline KernelView launch_host(uint32_t id, uint64_t ctas) {
  launches[id] = (Launch){0};
  KernelView view = kernel_view(id, ctas);
  policy_host_launch(&policy_bench, &view);
  return view;
}

static inline KernelView launch_child(uint32_t id, uint64_t ctas, LaunchOrigin origin,
                                      uint64_t number) {
  launches[id] = (Launch){.origin = origin};
  launches[id].origin.has_parent = true;
  KernelView view = kernel_view(id, ctas);
  view.launch_number = number;
  policy_host_child_launch(&policy_bench,
                           &(ChildLaunchView){.launch = &launches[id], .number = number});
  policy_host_launch(&policy_bench, &view);
  return view;
}

static inline void start_cta(const KernelView *kernel, uint64_t cta, uint32_t sm) {
  policy_host_cta_start(&policy_bench, &(CtaView){.kernel = kernel, .cta = cta, .sm = sm});
}
static inline void end_cta(const KernelView *kernel, uint64_t cta, uint32_t sm) {
  policy_host_cta_end(&policy_bench, &(CtaView){.kernel = kernel, .cta = cta, .sm = sm});
}

static inline void end_kernel(KernelView *kernel) {
  kernel->ctas_done = kernel->cta_count;
  policy_host_kernel_end(&policy_bench, kernel);
}

// The kernel that a policy chooses of those pending.
static inline uint32_t pick(const PolicyType *type, void *state, const KernelView *pending,
                            uint32_t count, const KernelView *running, uint32_t running_count) {
  return kernel_scheduler_pick((const KernelSchedulerType *)type, state,
                               &(KernelQueueView){.pending = pending,
                                                  .pending_count = count,
                                                  .running = running,
                                                  .running_count = running_count,
                                                  .queue_count = 32});
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

static inline void chip_init(Chip *chip, const char *spec) {
  memset(chip, 0, sizeof *chip);
  chip->type =
      (const CtaDispatchType *)make(&cta_dispatch_family, spec, POLICY_EVERY_SM, &chip->state);
  for (int k = 0; k < 8; k++)
    for (int c = 0; c < MOST; c++) chip->sm_of[k][c] = -1;
}

static inline void chip_start(Chip *chip, KernelView kernel) {
  chip->kernels[chip->kernel_count++] = kernel;
  policy_host_kernel_start(&policy_bench, &kernel);
}

// Dispatches one CTA; each SM takes at most one in a cycle.
static inline bool chip_dispatch(Chip *chip, uint64_t took, uint32_t *sm) {
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

static inline void chip_cycle(Chip *chip) {
  uint64_t took = 0;
  for (uint32_t sm; chip_dispatch(chip, took, &sm);) took |= UINT64_C(1) << sm;
}

// The warp that a scheduler issues from; slots 0 to 6 are resident, the lowest the oldest.
static inline int issue(const WarpSchedulerType *type, void *state, uint64_t candidates) {
  static const uint64_t age[64] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  IssueView view = {.candidates = candidates, .resident = 0x7f, .age = age, .scheduler_count = 1};
  int warp = warp_scheduler_pick(type, state, &view);
  if (type->on_issue) type->on_issue(state, &view, warp);
  return warp;
}

#endif
