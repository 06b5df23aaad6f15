// SPDX-License-Identifier: MIT
// Named barriers of a CTA: arrival, release, and the report of a deadlock; and the registers that
// its warps pass on.
#include "exec/barrier.h"

#include "exec/cluster.h"
#include "exec/warp_group.h"

#include <stdio.h>

// A barrier's verdict for one warp that waited in a bar.red.
static void write_result(Warp *warp, const CtaBarrier *barrier) {
  const Instruction *in = warp->barrier_instruction;
  if (in->form.mode != MODE_RED || warp->replay) return;  // a replay has no values
  uint32_t mask = warp->barrier_mask;
  if (in->form.operation == OPERATION_POPC) {
    uint32_t *lanes = place_at(warp, in->dst[0]);
    for (int i = 0; i < WARP_LANES; i++)
      if (mask >> i & 1) lanes[i] = barrier->true_lanes;
    return;
  }
  bool verdict = in->form.operation == OPERATION_AND ? barrier->true_lanes == barrier->lanes
                                                     : barrier->true_lanes > 0;
  uint32_t *predicate = predicate_at(warp, in->dst[0]);
  *predicate = (*predicate & ~mask) | (verdict ? mask : 0);
}

static void release(Cta *cta, CtaBarrier *barrier) {
  for (uint32_t left = barrier->waiting; left; left &= left - 1) {
    Warp *warp = &cta->warps[__builtin_ctz(left)];
    write_result(warp, barrier);
    warp->state = WARP_RUNNING;
    warp->barrier_instruction = NULL;
  }
  *barrier = (CtaBarrier){0};
  if (barrier == &cta->barriers[CLUSTER_BARRIER]) cta->cluster_phase++;
}

// Warps that have exited count as arrived where no number of threads is given (docs/model.md).
static void release_if_complete(Cta *cta, CtaBarrier *barrier) {
  uint32_t expected = barrier->expected_warps ? barrier->expected_warps : cta->live_warps;
  if (barrier->arrived_warps && barrier->arrived_warps >= expected) release(cta, barrier);
}

BarrierOperands barrier_operands(const Warp *warp, const Instruction *in, uint32_t mask) {
  uint32_t lane = (uint32_t)__builtin_ctz(mask);
  BarrierOperands operands = {.id = (uint32_t)in->offset};  // of a trace, which has no operands
  if (in->src[0] != NO_PLACE) operands.id = ((const uint32_t *)place_at(warp, in->src[0]))[lane];
  if (in->src[1] != NO_PLACE)
    operands.threads = ((const uint32_t *)place_at(warp, in->src[1]))[lane];
  return operands;
}

// Counted by warps, not by threads: a warp that arrives with some of its lanes has arrived.
void barrier_arrive(Warp *warp, const Instruction *in, uint32_t mask, uint32_t id,
                    uint32_t expected_threads, bool waits, uint32_t votes) {
  Cta *cta = warp->cta;
  CtaBarrier *barrier = &cta->barriers[id];
  barrier->arrived_warps++;
  barrier->expected_warps = (expected_threads + WARP_LANES - 1) / WARP_LANES;
  barrier->true_lanes += (uint32_t)__builtin_popcount(votes);
  barrier->lanes += (uint32_t)__builtin_popcount(mask);
  if (waits) {
    barrier->waiting |= 1u << warp->index;
    warp->state = WARP_AT_BARRIER;
    warp->barrier_instruction = in;
    warp->barrier_mask = mask;
  }
  release_if_complete(cta, barrier);
}

void barrier_wait_cluster(Warp *warp, const Instruction *in, uint32_t mask) {
  Cta *cta = warp->cta;
  if (cta->cluster_phase != warp->cluster_phase) return;
  cta->barriers[CLUSTER_BARRIER].waiting |= 1u << warp->index;
  warp->state = WARP_AT_BARRIER;
  warp->barrier_instruction = in;
  warp->barrier_mask = mask;
}

// ---- registers

static bool take_registers(Warp *warp, uint32_t count) {
  uint32_t more = count - warp->registers_held;
  if (more > warp->cta->free_registers) return false;
  warp->cta->free_registers -= more;
  warp->registers_held = count;
  return true;
}

// The lowest waiting warp first, as far as there are registers.
static void serve_waiting(Cta *cta) {
  CtaBarrier *waiting = &cta->barriers[REGISTER_WAIT];
  for (uint32_t left = waiting->waiting; left; left &= left - 1) {
    Warp *warp = &cta->warps[__builtin_ctz(left)];
    if (!take_registers(warp, warp->registers_wanted)) continue;
    waiting->waiting &= ~(1u << warp->index);
    warp->state = WARP_RUNNING;
    warp->barrier_instruction = NULL;
  }
}

void registers_keep(Warp *warp, const Instruction *in, uint32_t mask, uint32_t count) {
  (void)in;
  (void)mask;
  if (count >= warp->registers_held) return;
  warp->cta->free_registers += warp->registers_held - count;
  warp->registers_held = count;
  serve_waiting(warp->cta);
}

void registers_ask(Warp *warp, const Instruction *in, uint32_t mask, uint32_t count) {
  if (!warp->registers_held || count <= warp->registers_held || take_registers(warp, count)) return;
  warp->registers_wanted = count;
  warp->cta->barriers[REGISTER_WAIT].waiting |= 1u << warp->index;
  warp->state = WARP_AT_BARRIER;
  warp->barrier_instruction = in;
  warp->barrier_mask = mask;
}

void cta_warp_ended(Cta *cta) {
  cta->live_warps--;
  for (int i = 0; i <= CLUSTER_BARRIER; i++) release_if_complete(cta, &cta->barriers[i]);
  if (cta->cluster) cluster_release_if_complete(cta->cluster);
  warp_group_left(cta);
}

// Only if no warp can run: a warp that waits for children will continue.
bool cta_is_hung(const Cta *cta) {
  for (uint32_t i = 0; i < cta->warp_count; i++)
    if (cta->warps[i].state == WARP_RUNNING || cta->warps[i].state == WARP_AT_CHILDREN)
      return false;
  if (cta->cluster && cluster_can_run(cta->cluster)) return false;
  return cta->live_warps > 0;
}

Status cta_report_hang(const Cta *cta, Error *err) {
  const Launch *launch = cta->launch;
  error_set(err, ERR_DEADLOCK,
            "kernel %s, CTA (%u,%u,%u): %s: every warp that has not exited is waiting",
            function_title(launch->kernel), cta->ctaid[0], cta->ctaid[1], cta->ctaid[2],
            fault_name(FAULT_HUNG_BARRIER));
  size_t used = 0;
  while (err && err->text[used]) used++;
  for (int id = 0; err && id <= GROUP_WAIT && used < sizeof err->text; id++) {
    const CtaBarrier *barrier = &cta->barriers[id];
    if (!barrier->arrived_warps && !barrier->waiting) continue;
    uint32_t expected = barrier->expected_warps ? barrier->expected_warps : cta->live_warps;
    if (id == GROUP_WAIT)
      used += (size_t)snprintf(err->text + used, sizeof err->text - used,
                               "\n  wgmma.wait_group, for other warps of the warp group");
    else if (id == REGISTER_WAIT)
      used += (size_t)snprintf(err->text + used, sizeof err->text - used,
                               "\n  setmaxnreg.inc: %u registers per lane are free",
                               cta->free_registers);
    else
      used += (size_t)snprintf(err->text + used, sizeof err->text - used,
                               "\n  %s %d: %u of %u warps arrived",
                               id == CLUSTER_BARRIER ? "cluster barrier" : "barrier",
                               id % CTA_BARRIERS, barrier->arrived_warps, expected);
    for (uint32_t left = barrier->waiting; left && used < sizeof err->text; left &= left - 1) {
      const Warp *warp = &cta->warps[__builtin_ctz(left)];
      used += (size_t)snprintf(err->text + used, sizeof err->text - used, "%s warp %u (%s:%u)",
                               left == barrier->waiting ? ":" : ",", warp->index,
                               warp_top(warp)->function->path, warp->barrier_instruction->line);
    }
  }
  return ERR_DEADLOCK;
}
