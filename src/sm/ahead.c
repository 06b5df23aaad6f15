// SPDX-License-Identifier: MIT
// An SM runs ahead of the GPU's clock (docs/performance.md, Windows): while a cycle concerns
// nothing but the SM itself, it may be simulated as soon as it is certain that nothing from outside
// will reach the SM before. Many cycles of one SM in a row find its state in the host's cache.
//
// A tick stops before the stage that leaves the SM, and goes on when the GPU's clock has come to
// it (sm_tick): instructions that access memory shared with other SMs are executed, and packets
// are sent, in the order of cycles and SMs, whoever is ahead. What the GPU has to hear of ends a
// run: completed CTAs, faults, stores, and events that observers want in order.
#include "sm/sm.h"

// Whether the stages before issue send nothing.
static bool sends_nothing(const Sm *sm) {
  const Lsu *lsu = &sm->lsu;
  if (lsu->has_misses || sm->l1i_has_misses || lsu->responses.count || lsu->policies) return false;
  if (network_port_has_lookups(&sm->network)) return false;
  if (lsu->bulk.count) return false;
  const Inflight *latch = lsu->latch;
  return !latch || !(latch->path == PATH_BYPASS || (latch->path == PATH_L1D && !lsu->l1_parts));
}

// Whether an instruction that leads outside may issue. A warp at a barrier cannot, unless another
// may release it in the same cycle.
static bool issues_outside(const Sm *sm) {
  uint64_t outside = sm->ready & sm->at_outside;
  if (!outside) return false;
  return sm_able_warps(sm, outside) || sm_able_warps(sm, sm->ready & sm->at_release);
}

static bool has_all_warps(const Sm *sm) {
  for (uint32_t s = 0; s < sm->config->warp_schedulers; s++)
    if (!(sm->schedulers[s].warps & sm->resident)) return false;
  return true;
}

// What the GPU has to hear of in the cycle in which it happened.
static bool has_news(const Sm *sm, bool by_event) {
  return sm->ctas_ended || sm->faulty || sm->began_to_wait || sm->stores.count ||
         (by_event && sm->events && sm->events->count);
}

static bool may_go_on(const Sm *sm, const AheadLimits *limits) {
  return *sm->wake < limits->end && sm->resident && sends_nothing(sm) &&
         !has_news(sm, limits->by_event) && (!limits->has_all_warps || has_all_warps(sm)) &&
         sm->config->fetches_per_cycle == 1;
}

// One cycle, as far as it stays inside.
static TickRest tick_inside(Sm *sm, Cycle now, bool by_event) {
  sm_tick_begin(sm, now);
  if (issues_outside(sm)) return REST_ISSUE;
  sm_tick_issue(sm, now);
  if (sm->l1i_has_misses) return REST_SEND;
  sm_tick_end(sm, now);
  return has_news(sm, by_event) ? REST_REPORT : REST_NONE;
}

Cycle sm_run_ahead(Sm *sm, Cycle next, const AheadLimits *limits) {
  while (!sm->to_do && may_go_on(sm, limits)) {
    Cycle now = *sm->wake;
    if (now > next) sm_skip(sm, now - next);
    next = now + 1;
    sm->to_do = (uint8_t)tick_inside(sm, now, limits->by_event);
    if (sm->to_do) *sm->wake = now;
  }
  return next;
}
