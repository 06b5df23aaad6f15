// SPDX-License-Identifier: MIT
// Results of arithmetic that reach some instructions later than others: the guard of a branch
// or of any other instruction, the address and data of an access, the other pipeline. From Volta
// on, the assembler encodes these distances in the stall cycles of each instruction, and the
// minimum distance from a branch or barrier to the next instruction of its warp (docs/model.md,
// Issue).
//
// A result is noted with the cycle from which the nearest instruction can use it. A warp whose
// next instruction has all registers, but not in time, is `late` until that cycle.
#include "sm/sm.h"

static uint64_t bit_of(uint32_t w) {
  return UINT64_C(1) << w;
}

static LateResult *results_of(const Sm *sm, uint32_t w) {
  return &sm->late_results[(size_t)w * sm->scoreboards.words * 64];
}

// What other units deliver has no fixed latency, and the published ones include the way to the
// instruction that waits.
void sm_note_result(Sm *sm, const Inflight *inflight) {
  const IssueInfo *info = inflight->info;
  bool is_int = info->unit == UNIT_INT, is_fixed = info->unit == UNIT_SP || is_int;
  LateResult *results = results_of(sm, inflight->warp);
  LateResult result = is_fixed && sm->context.clock ? sm->context.clock << 1 | is_int : 0;
  if (is_fixed) sm->warps[inflight->warp].last_result = sm->context.clock;
  for (int d = 0; d < info->destination_count; d++) results[info->destinations[d]] = result;
}

static Cycle arrival(LateResult result, uint32_t from_sp, uint32_t from_int) {
  if (!result) return 0;
  return (result >> 1) + (result & 1 ? from_int : from_sp);
}

// The first cycle in which all that the next instruction of a warp reads has arrived.
static Cycle operands_at(const Sm *sm, uint32_t w) {
  const WarpSlot *slot = &sm->warps[w];
  const IssueInfo *info = &slot->table->infos[slot->buffer_pc];
  // Behind a load all of them are mostly old.
  if (slot->last_result + info->latest_cycles <= sm->context.clock) return slot->not_before;
  const RegisterUse *use = &slot->table->program->register_uses[slot->buffer_pc];
  const LateResult *results = results_of(sm, w);
  Cycle at = slot->not_before;
  for (int i = 0; i < use->source_count; i++) {
    Cycle one = arrival(results[use->sources[i]], info->from_sp_cycles, info->from_int_cycles);
    if (one > at) at = one;
  }
  if (use->guard == NO_REGISTER) return at;
  Cycle guard = arrival(results[use->guard], info->to_guard_cycles, info->to_guard_cycles);
  return guard > at ? guard : at;
}

void sm_mark_ready_or_late(Sm *sm, uint32_t w) {
  Cycle at = operands_at(sm, w);
  if (at <= sm->context.clock) {
    sm->ready |= bit_of(w);
    return;
  }
  sm->late |= bit_of(w);
  sm->warps[w].operands_at = at;
  sm->next_late = cycle_earlier(sm->next_late, at);
}

void sm_end_late(Sm *sm, Cycle now) {
  if (now < sm->next_late) return;
  sm->next_late = NEVER;
  for (uint64_t left = sm->late; left; left &= left - 1) {
    uint32_t w = (uint32_t)__builtin_ctzll(left);
    if (sm->warps[w].operands_at > now) {
      sm->next_late = cycle_earlier(sm->next_late, sm->warps[w].operands_at);
      continue;
    }
    sm->late &= ~bit_of(w);
    sm->ready |= bit_of(w);
    sm->did_something = true;
  }
}
