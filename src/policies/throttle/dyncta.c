// SPDX-License-Identifier: MIT
// DYNCTA: more CTAs while an SM is idle, fewer while all its warps wait for
// memory. Kayiran, Jog, Kandemir and Das, "Neither More Nor Less: Optimizing
// Thread-level Parallelism for GPGPUs", PACT 2013, section 4.
//
// Each SM starts a kernel with half of the CTAs that fit. Every period it counts
// the cycles in which no warp could run, because none was resident or all were
// finished or at a barrier (C_idle), and those in which its warps waited for
// memory (C_mem), averaged over its schedulers; a load/store unit that full MSHRs
// or queues hold up counts as waiting. It adds a CTA if C_idle exceeds t_idle or
// C_mem is below t_mem_low, and takes one away if C_mem exceeds t_mem_high. C_idle
// counts only while CTAs of the kernel are waiting: an SM that runs dry at the end
// of a grid cannot be helped.
//
// Simplified: the paper pauses the CTA that came last when the number falls, and
// resumes it when it rises. Here CTAs that are resident run to their end, so the
// number falls as CTAs complete. Thresholds are given per 2048 cycles, the
// paper's period, and scaled to policy.interval_cycles.
#include "policies/throttle/throttle.h"

typedef struct SmPeriod {
  uint32_t limit;
  uint64_t cycles, memory, idle;  // when it began
} SmPeriod;

typedef struct Dyncta {
  double t_idle, t_mem_low, t_mem_high;  // parameters
  uint64_t periods, raised, lowered;     // counters

  uint32_t schedulers;
  SmPeriod *sms;
} Dyncta;

enum { PAPERS_PERIOD = 2048 };

static Status dyncta_init(void *state, const PolicySetup *setup, Error *err) {
  Dyncta *dyncta = state;
  const MachineView *machine = setup->machine;
  if (dyncta->t_mem_low > dyncta->t_mem_high)
    return error_set(err, ERR_CONFIG, "t_mem_low = %g: must be at most t_mem_high = %g",
                     dyncta->t_mem_low, dyncta->t_mem_high);
  dyncta->schedulers = machine->warp_schedulers ? machine->warp_schedulers : 1;
  dyncta->sms = ARENA_ARRAY(setup->arena, SmPeriod, machine->sm_count ? machine->sm_count : 1);
  return OK;
}

static void begin_period(SmPeriod *sm, const ThrottleView *view) {
  sm->cycles = view->cycles;
  sm->memory = view->memory_stalls;
  sm->idle = view->idle_stalls;
}

static uint32_t most_ctas(const ThrottleView *view) {
  return view->kernel->max_ctas_per_sm ? view->kernel->max_ctas_per_sm : 1;
}

static void adjust(Dyncta *dyncta, SmPeriod *sm, const ThrottleView *view) {
  uint64_t cycles = view->cycles - sm->cycles;
  if (!cycles) return;
  double scale = (double)PAPERS_PERIOD / ((double)cycles * dyncta->schedulers);
  double idle = (double)(view->idle_stalls - sm->idle) * scale;
  double memory = (double)(view->memory_stalls - sm->memory) * scale;
  bool is_short_of_work = idle > dyncta->t_idle && view->kernel->ctas_waiting;
  uint32_t before = sm->limit;
  if (is_short_of_work || memory < dyncta->t_mem_low)
    sm->limit += sm->limit < most_ctas(view);
  else if (memory > dyncta->t_mem_high)
    sm->limit -= sm->limit > 1;
  dyncta->periods++;
  dyncta->raised += sm->limit > before;
  dyncta->lowered += sm->limit < before;
}

// Kernels that begin while others run find the SMs as these have them.
static bool is_alone(const ThrottleView *view) {
  return !view->resident_ctas;
}

static uint32_t dyncta_limit(void *state, const ThrottleView *view) {
  Dyncta *dyncta = state;
  SmPeriod *sm = &dyncta->sms[view->sm];
  if (!sm->limit || (view->cause == THROTTLE_KERNEL && is_alone(view))) {
    sm->limit = (most_ctas(view) + 1) / 2;
    begin_period(sm, view);
  } else if (view->cause == THROTTLE_INTERVAL) {
    adjust(dyncta, sm, view);
    begin_period(sm, view);
  }
  return sm->limit;
}

static const Param dyncta_params[] = {
    PARAM(Dyncta, t_idle, 16, 0, PAPERS_PERIOD, "idle cycles of 2048 above which a CTA is added"),
    PARAM(Dyncta, t_mem_low, 128, 0, PAPERS_PERIOD,
          "memory-stall cycles of 2048 below which a CTA is added"),
    PARAM(Dyncta, t_mem_high, 384, 0, PAPERS_PERIOD, "... above which a CTA is removed"),
    {0}};

static const Stat dyncta_stats[] = {
    STAT_COUNT(Dyncta, periods, "sampling periods, summed over SMs"),
    STAT_COUNT(Dyncta, raised, "of these, a CTA added"),
    STAT_COUNT(Dyncta, lowered, "of these, a CTA removed"),
    {0}};

const ThrottleType dyncta_throttle = {
    .policy = {.name = "dyncta",
               .summary = "more while idle, fewer while waiting for memory (Kayiran et al.)",
               .state_size = sizeof(Dyncta),
               .params = dyncta_params,
               .stats = dyncta_stats,
               .init = dyncta_init},
    .limit = dyncta_limit,
    .wants_intervals = true,
};
