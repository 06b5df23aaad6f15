// SPDX-License-Identifier: MIT
// mbarrier, and cp.async.mbarrier.arrive.
//
//   mbarrier   src[0] offset ...  the barrier's address    src[1]  count, bytes, state or parity
//              dst[0]  the state of an arrival, the predicate of a wait, the count; or NO_PLACE
//
// A wait never blocks here: it returns whether the phase is complete, and programs poll; a timed
// machine may hold the result back (async.h).
#include "exec/memory/exec_memory.h"
#include "exec/async.h"
#include "exec/cluster.h"
#include "exec/mbarrier.h"
#include "exec/memory/memory_access.h"
#include "exec/memory/stray_access.h"
#include "exec/lanes.h"

static bool barrier_reach(ExecContext *context, const Warp *warp, const Instruction *in,
                          uint32_t mask, uint64_t where[WARP_LANES]) {
  address_lanes(warp, in->src[0], in->address_bytes, address_extra(warp, in),
                context->access.address);
  access_note(context, mask, in->form.space, 8, true, false);
  return memory_resolve(context, warp, where);
}

// One lane's operation; false if the count is impossible.
static bool operate(const Form *form, Mbarrier *barrier, uint32_t value) {
  bool drops = form->mode == MODE_ARRIVE_DROP;
  uint32_t count = form->option & OPTION_EXPECT_TX ? 1 : value;
  switch (form->mode) {
    case MODE_INIT:
      if (value == 0 || value > MBARRIER_MAX_COUNT) return false;
      *barrier = (Mbarrier){.expected = value, .pending = value};
      return true;
    case MODE_INVALIDATE: *barrier = (Mbarrier){0}; return true;
    case MODE_EXPECT_TX: barrier->bytes += (int32_t)value; return true;
    case MODE_COMPLETE_TX: mbarrier_complete_bytes(barrier, value); return true;
    default: break;
  }
  if (form->option & OPTION_EXPECT_TX) barrier->bytes += (int32_t)value;
  if (drops && count > barrier->expected) return false;
  if (drops) barrier->expected -= count;
  return mbarrier_arrive(barrier, count);
}

// Without the lanes whose arrival would reach a CTA of the cluster that has exited, where
// run.bounds = page lets these pass as hardware does.
static uint32_t without_strays(const ExecContext *context, const Warp *warp, const Instruction *in,
                               uint32_t mask) {
  StrayAccesses *strays = context->memory ? device_memory_strays(context->memory) : NULL;
  uint64_t address[WARP_LANES];
  uint64_t offset;
  bool is_mute = in->form.mode == MODE_ARRIVE && in->dst[0] == NO_PLACE;
  if (!strays || !is_mute || !warp->cta->cluster || in->form.space != SPACE_SHARED) return mask;
  address_lanes(warp, in->src[0], in->address_bytes, address_extra(warp, in), address);
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    uint64_t at = (uint32_t)address[lane];
    if (at >> CLUSTER_RANK_SHIFT > warp->cta->cluster->size) continue;
    if (cluster_owner(warp->cta, at, &offset)) continue;
    stray_arrival(strays, context, warp, lane, at);
    mask &= ~(1u << lane);
  }
  return mask;
}

EXEC(exec_change) {
  uint64_t where[WARP_LANES];
  mask = without_strays(context, warp, in, mask);
  if (!mask || !barrier_reach(context, warp, in, mask, where)) return;
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    uint64_t *word = (uint64_t *)(uintptr_t)where[lane], before = *word;
    Mbarrier barrier = mbarrier_unpack(before);
    if (!operate(&in->form, &barrier, lane_u32(warp, in->src[1], lane, 1))) {
      fault_raise(context, warp, FAULT_BAD_MBARRIER, lane);
      return;
    }
    *word = mbarrier_pack(barrier);
    if (in->dst[0] != NO_PLACE) ((Lane64 *)place_at(warp, in->dst[0]))[lane] = before;
  }
}

static void note_wait(AsyncWait *wait, uint32_t *predicate, uint32_t mask, uint32_t wanted,
                      const uint64_t where[WARP_LANES]) {
  *wait = (AsyncWait){.mask = mask, .wanted = wanted, .predicate = predicate};
  for (int i = 0; i < WARP_LANES; i++) wait->word[i] = (const uint64_t *)(uintptr_t)where[i];
}

EXEC(exec_wait) {
  uint64_t where[WARP_LANES];
  uint32_t done = 0, wanted = 0;
  if (!barrier_reach(context, warp, in, mask, where)) return;
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    bool parity = *(const uint64_t *)(uintptr_t)where[lane] >> 63, waited_for;
    if (in->form.option & OPTION_PARITY)
      waited_for = lane_u32(warp, in->src[1], lane, 0) & 1;
    else
      waited_for = ((const Lane64 *)place_at(warp, in->src[1]))[lane] >> 63;
    done |= (uint32_t)(parity != waited_for) << lane;
    wanted |= (uint32_t)waited_for << lane;
  }
  uint32_t *d = predicate_at(warp, in->dst[0]);
  *d = (*d & ~mask) | done;
  context->has_waited |= done != mask;
  if (in->form.mode == MODE_TRY_WAIT && context->wait && done != mask)
    note_wait(context->wait, d, mask, wanted, where);
}

EXEC(exec_pending_count) {
  Lane32 *d = place_at(warp, in->dst[0]);
  const Lane64 *state = place_at(warp, in->src[1]);
  for (int lane = 0; lane < WARP_LANES; lane++)
    if (mask >> lane & 1) d[lane] = mbarrier_unpack(state[lane]).pending;
}

ExecFn exec_find_mbarrier(const Form *form) {
  bool is_shared = form->space == SPACE_GENERIC || form->space == SPACE_SHARED;
  bool is_wait = form->mode == MODE_TEST_WAIT || form->mode == MODE_TRY_WAIT;
  bool is_arrival = form->mode == MODE_ARRIVE || form->mode == MODE_ARRIVE_DROP;
  uint8_t allowed = is_wait      ? OPTION_PARITY
                    : is_arrival ? OPTION_EXPECT_TX | OPTION_NO_COMPLETE
                                 : 0;
  if (form->type != TYPE_B64 || !is_shared || form->option & ~allowed) return NULL;
  if (form->mode == MODE_PENDING_COUNT) return exec_pending_count;
  return is_wait ? exec_wait : exec_change;
}

// ---- copies

// The arrival that follows a thread's copies. Without .noinc the barrier counts it before: where
// copies are over at once, nothing changes.
static bool arrive_after_copies(ExecContext *context, const Warp *warp, const Instruction *in,
                                int lane, uint64_t *word) {
  bool is_counted = in->form.option & OPTION_NO_INCREMENT;
  Mbarrier barrier = mbarrier_unpack(*word);
  if (context->note) {
    async_note(context->note, warp, lane, word, 1, false);
    if (is_counted) return true;
    if (barrier.pending == MBARRIER_MAX_COUNT) return false;
    barrier.pending++;
  } else if (!is_counted) {
    return true;
  } else if (!mbarrier_arrive(&barrier, 1)) {
    return false;
  }
  *word = mbarrier_pack(barrier);
  return true;
}

EXEC(exec_copy_arrive) {
  uint64_t where[WARP_LANES];
  if (!barrier_reach(context, warp, in, mask, where)) return;
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    if (arrive_after_copies(context, warp, in, lane, (uint64_t *)(uintptr_t)where[lane])) continue;
    fault_raise(context, warp, FAULT_BAD_MBARRIER, lane);
    return;
  }
}

ExecFn exec_find_copy_arrive(const Form *form) {
  return form->type == TYPE_B64 ? exec_copy_arrive : NULL;
}
