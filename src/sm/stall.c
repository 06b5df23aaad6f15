// SPDX-License-Identifier: MIT
// Why a scheduler issued nothing: one reason per slot (policies/slot_reason.h).
//
// A scheduler has many warps, each with its own reason. The warp closest to issue counts:
// one that lacks only a unit before one that lacks a register, and that before one without
// an instruction. Reasons do not depend on the cycle: skipped cycles have the reason of the
// last one.
#include "sm/sm.h"

// ---- units

// The unit that most of the warps wait for.
static UnitKind wanted_unit(const Sm *sm, const Collectors *collectors, uint64_t warps) {
  uint32_t full = collectors->full_units;
  UnitKind wanted = (UnitKind)__builtin_ctz(full);
  if (!(full & (full - 1))) return wanted;
  int most = 0;
  for (; full; full &= full - 1) {
    int unit = __builtin_ctz(full), count = __builtin_popcountll(warps & sm->for_unit[unit]);
    // With equal counts the later kind wins. That order is arbitrary, but fixed, so that runs
    // repeat.
    if (count < most) continue;
    most = count;
    wanted = (UnitKind)unit;
  }
  return wanted;
}

// The unit takes no more, or could, if operands were there.
static SlotReason unit_reason(Sm *sm, uint64_t warps) {
  const WarpSlot *first = &sm->warps[__builtin_ctzll(warps)];
  const Collectors *collectors = sm->collectors[first->sub_core];
  UnitKind unit = wanted_unit(sm, collectors, warps);
  UnitPath *path = collectors_path(collectors, unit);
  if (!path->free && collectors_execute_has_room(path)) return SLOT_operands;
  if (unit == UNIT_MEM) {
    if (sm->lsu_reason == SLOT_issued)
      sm->lsu_reason = lsu_busy_reason(&sm->lsu);  // for all schedulers
    return sm->lsu_reason;
  }
  const Inflight *busy = collectors_oldest(collectors, unit);
  if (!busy) busy = collectors_issue_latch(path)[0];
  return busy->info->busy_slot;
}

// ---- warps

// Which of the warps need registers that loads will write.
// Comparing scoreboards is the expensive part of a stall. The answer holds until the head or a
// load of the warp changes, which clears awaits_known (release.c).
static void find_awaited(Sm *sm, uint64_t warps) {
  sm->awaits_known |= warps;
  sm->awaits_far &= ~warps;
  sm->awaits_near &= ~warps;
  for (; warps; warps &= warps - 1) {
    uint32_t w = (uint32_t)__builtin_ctzll(warps);
    if (sm_needs_any(sm, w, BOARD_FAR)) sm->awaits_far |= UINT64_C(1) << w;
    if (sm_needs_any(sm, w, BOARD_NEAR)) sm->awaits_near |= UINT64_C(1) << w;
  }
}

// Without other warps to run, a conflict is a wait for the access that has it. Of warps that
// wait for different things, far counts before near, and near before arithmetic.
static SlotReason register_reason(Sm *sm, uint64_t warps) {
  warps &= sm->loading;
  uint64_t unknown = warps & ~sm->awaits_known;
  if (unknown) find_awaited(sm, unknown);
  if (warps & sm->awaits_far) return SLOT_memory;
  if (!(warps & sm->awaits_near)) return SLOT_dependency;
  if (warps & sm->awaits_near & sm->at_mbarrier) return SLOT_barrier;
  return lsu_has_conflicts(&sm->lsu) ? SLOT_bank_conflict : SLOT_shared;
}

static SlotReason barrier_reason(const Sm *sm, uint64_t warps) {
  const Warp *first = sm->warps[__builtin_ctzll(warps)].warp;
  bool launches = first->state == WARP_AT_CHILDREN || warps & sm->at_launch;
  return launches ? SLOT_children : SLOT_barrier;
}

// From the warp closest to issuing to the one furthest from it. Every state that excludes a
// warp from sm_able_warps() must be named here, or its slots would be counted as something
// else; the sum over all reasons is checked at the end of a run.
SlotReason sm_stall_reason(Sm *sm, uint64_t warps, uint64_t able, bool flushed) {
  uint64_t resident = warps & sm->resident, running = resident & ~sm->ended;
  if (able & sm->ready) return unit_reason(sm, able & sm->ready);
  if (able) return flushed ? SLOT_flush : register_reason(sm, able);
  if (!resident) return sm_empty_reason(sm, warps);
  if (!running) return SLOT_drain;
  if (flushed) return SLOT_flush;
  if (running & ~(sm->buffered | sm->at_barrier | sm->at_fence | sm->at_atomic | sm->at_copies |
                  sm->at_launch | sm->asleep))
    return SLOT_fetch;
  if (running & sm->at_copies) return SLOT_copy;
  if (running & sm->at_atomic) return SLOT_atomic;
  return running & sm->at_fence ? SLOT_fence : barrier_reason(sm, running);
}
