// SPDX-License-Identifier: MIT
// Which access a lost issue slot is put down to, for observers (EVENT_STALL).
//
//   memory, shared     the load that will write the register which a stuck warp needs
//   atomic, fence      the warp's atomic; a load, atomic or store that the fence waits for
//   drain              the last store of a warp that has exited
//   the load/store     the instruction that keeps the unit from taking others: the one it
//   unit, and what     works on, or the transaction at the head of the queue before the
//   blocks it          L1D that is blocked, or the miss that the network does not take
//
// Other reasons blame nobody. Of several stuck warps, one is followed until it is
// not stuck on that register any more, then the next in a circle: over time each
// has the share of its waits, and a cycle costs little. As with the reasons,
// nothing depends on the cycle, so that cycles may be left out.
#include <assert.h>

#include "sm/sm.h"

enum { NO_REGISTER_AWAITED = UINT32_MAX };

static uint64_t bit_of(uint32_t w) {
  return UINT64_C(1) << w;
}

static Blame of_warp(const Sm *sm, SlotReason reason, uint32_t w, uint32_t pc) {
  uint32_t kernel = sm->ctas[sm->warps[w].cta].kernel->id;
  return (Blame){.culprit = {.kernel = kernel, .pc = pc, .reason = reason},
                 .warp = w,
                 .head_pc = sm->warps[w].buffer_pc,
                 .awaited = NO_REGISTER_AWAITED,
                 .age = sm->age[w]};
}

// The round robin over warps continues from its last position. SLOT_issued means that no access
// caused the stall.
static Blame nobody(uint32_t last) {
  return (Blame){.culprit = {.reason = SLOT_issued}, .warp = last};
}

// ---- the load/store unit

// For the L1D the cause may be further down: in the miss queue.
static const MemRequest *blocking_request(const Lsu *lsu, SlotReason reason) {
  const MemRequest *head = access_ring_front(&lsu->l1_queue)->request;
  if (reason != SLOT_network && reason != SLOT_miss_queue) return head;
  const CacheMiss *miss = cache_miss_front(lsu->l1d[head->l1_part]);
  return miss && miss->request ? miss->request : head;
}

// In this cycle, for all schedulers that wait for the unit.
static Culprit find_culprit(const Sm *sm, SlotReason reason) {
  const Lsu *lsu = &sm->lsu;
  const Inflight *latch = lsu->latch;
  if (!latch) latch = sm_oldest_collected(sm, UNIT_MEM, collected_at(sm->collected, UNIT_MEM));
  for (uint32_t s = 0; !latch && s < sm->sub_core_count; s++) {
    UnitPath *path = collectors_path(sm->collectors[s], UNIT_MEM);
    if (path->issued) latch = collectors_issue_latch(path)[0];
  }
  assert(latch && "full load/store unit without an instruction");
  bool is_queued = latch == lsu->latch && latch->path == PATH_L1D && lsu->l1_parts;
  if (is_queued && reason != SLOT_lsu) {
    const MemRequest *request = blocking_request(lsu, reason);
    return (Culprit){
        .kernel = request->requester.kernel, .pc = request->requester.pc, .reason = reason};
  }
  uint32_t kernel = sm->ctas[sm->warps[latch->warp].cta].kernel->id;
  return (Culprit){.kernel = kernel, .pc = latch->pc, .reason = reason};
}

static bool is_of_unit(SlotReason reason) {
  const uint32_t reasons = 1u << SLOT_lsu | 1u << SLOT_bank_conflict | 1u << SLOT_mshr |
                           1u << SLOT_reservation | 1u << SLOT_miss_queue | 1u << SLOT_network;
  return reasons >> reason & 1;
}

static bool is_of_warp(SlotReason reason) {
  const uint32_t reasons = 1u << SLOT_memory | 1u << SLOT_shared | 1u << SLOT_atomic |
                           1u << SLOT_fence | 1u << SLOT_drain;
  return reasons >> reason & 1;
}

// ---- warps

// Of the registers that the warp's next instruction needs and a load will write, the first.
static uint32_t awaited_register(const Sm *sm, uint32_t w, Board board) {
  const WarpSlot *slot = &sm->warps[w];
  const uint64_t *registers = sm_scoreboard(sm, w, board);
  const uint64_t *hazards = &slot->table->hazards[(size_t)slot->buffer_pc * slot->table->words];
  for (uint32_t i = 0; i < slot->table->words; i++)
    if (registers[i] & hazards[i])
      return i * 64 + (uint32_t)__builtin_ctzll(registers[i] & hazards[i]);
  return NO_REGISTER_AWAITED;
}

static bool is_pending(const Sm *sm, uint32_t w, uint32_t id) {
  return sm_scoreboard(sm, w, BOARD_PENDING)[id / 64] >> id % 64 & 1;
}

static Blame register_blame(const Sm *sm, SlotReason reason, uint64_t warps, Board board,
                            uint32_t last) {
  uint32_t w = (uint32_t)next_warp(warps, (int)last);
  uint32_t id = awaited_register(sm, w, board);
  if (id == NO_REGISTER_AWAITED) return nobody(last);
  Blame blame = of_warp(sm, reason, w, sm_loaders(sm, w)[id]);
  blame.awaited = id;
  return blame;
}

// The last atomic or store of a warp that has some in flight.
static Blame store_blame(const Sm *sm, SlotReason reason, uint64_t warps, uint32_t last) {
  uint32_t w = last;
  for (; warps; warps &= ~bit_of(w)) {
    w = (uint32_t)next_warp(warps, (int)last);
    if (sm->lsu.atomics[w]) return of_warp(sm, reason, w, sm->atomic_pc[w]);
    if (sm->lsu.stores[w]) return of_warp(sm, reason, w, sm->store_pc[w]);
  }
  return nobody(last);
}

// A fence waits for all registers of its warp, and may wait for its stores.
static Blame fence_blame(const Sm *sm, uint64_t warps, uint32_t last) {
  uint32_t w = (uint32_t)next_warp(warps, (int)last);
  for (int board = BOARD_FAR; board <= BOARD_NEAR; board++)
    for (uint32_t i = 0; i < sm->scoreboards.words; i++) {
      uint64_t registers = sm_scoreboard(sm, w, (Board)board)[i];
      if (!registers) continue;
      uint32_t id = i * 64 + (uint32_t)__builtin_ctzll(registers);
      Blame blame = of_warp(sm, SLOT_fence, w, sm_loaders(sm, w)[id]);
      blame.awaited = id;
      return blame;
    }
  return store_blame(sm, SLOT_fence, warps & sm->awaits_stores, last);
}

// The warps of a scheduler that are in the state which the reason names.
static uint64_t warps_with(const Sm *sm, uint32_t scheduler, SlotReason reason) {
  uint64_t mine = sm->schedulers[scheduler].warps & sm->resident;
  switch (reason) {
    case SLOT_memory: return sm_able_warps(sm, mine) & ~sm->ready & sm->loading & sm->awaits_far;
    case SLOT_shared: return sm_able_warps(sm, mine) & ~sm->ready & sm->loading & sm->awaits_near;
    case SLOT_atomic: return mine & ~sm->ended & sm->at_atomic;
    case SLOT_fence: return mine & ~sm->ended & sm->at_fence & (sm->loading | sm->awaits_stores);
    case SLOT_drain: return mine & sm->ended;
    default: return 0;
  }
}

static Blame find_blame(const Sm *sm, SlotReason reason, uint64_t warps, uint32_t last) {
  if (!warps) return nobody(last);
  switch (reason) {
    case SLOT_memory: return register_blame(sm, reason, warps, BOARD_FAR, last);
    case SLOT_shared: return register_blame(sm, reason, warps, BOARD_NEAR, last);
    case SLOT_fence: return fence_blame(sm, warps, last);
    case SLOT_drain: return store_blame(sm, reason, warps, last);
    default: {
      uint32_t w = (uint32_t)next_warp(warps, (int)last);
      return of_warp(sm, reason, w, sm->atomic_pc[w]);
    }
  }
}

// Whether the tracked warp is still stalled at the same instruction. The age distinguishes a warp
// from a later one in the same slot.
static bool still_waits(const Sm *sm, const Blame *blame) {
  uint32_t w = blame->warp;
  if (sm->age[w] != blame->age) return false;
  bool awaits_none = blame->awaited == NO_REGISTER_AWAITED;
  if (blame->culprit.reason == SLOT_drain) return sm_has_stores(sm, w);
  if (sm->warps[w].buffer_pc != blame->head_pc) return false;
  if (blame->culprit.reason == SLOT_atomic) return sm->at_atomic & bit_of(w);
  if (blame->culprit.reason == SLOT_fence && awaits_none)
    return sm->awaits_stores & bit_of(w) && sm_has_stores(sm, w);
  return is_pending(sm, w, blame->awaited);
}

static bool is_same(const Culprit *a, const Culprit *b) {
  return a->pc == b->pc && a->kernel == b->kernel && a->reason == b->reason;
}

// Slots are summed until the culprit changes: one event per wait, not one per cycle.
static void flush(Sm *sm, Blame *blame) {
  while (blame->slots) {
    uint32_t slots = blame->slots > UINT32_MAX ? UINT32_MAX : (uint32_t)blame->slots;
    sm_emit_stall(sm, &blame->culprit, slots);
    blame->slots -= slots;
  }
}

static void blame_unit(Sm *sm, Blame *last, SlotReason reason) {
  if (sm->culprit.reason != reason) sm->culprit = find_culprit(sm, reason);
  if (!is_same(&sm->culprit, &last->culprit)) {
    flush(sm, last);
    last->culprit = sm->culprit;
  }
  last->slots++;
}

static void blame_warp(Sm *sm, uint32_t scheduler, SlotReason reason) {
  Blame *last = &sm->blames[scheduler];
  if (reason != last->culprit.reason || !still_waits(sm, last)) {
    Blame next = find_blame(sm, reason, warps_with(sm, scheduler, reason), last->warp);
    if (!is_same(&next.culprit, &last->culprit)) flush(sm, last);
    next.slots = last->slots;
    *last = next;
  }
  last->slots += last->culprit.reason != SLOT_issued;
  sm->followed |= bit_of(last->warp);
}

void sm_blame_anew(Sm *sm, uint32_t scheduler, SlotReason reason) {
  if (is_of_unit(reason))
    blame_unit(sm, &sm->blames[scheduler], reason);
  else if (is_of_warp(reason))
    blame_warp(sm, scheduler, reason);
}

// Skipped cycles have the reason and the culprit of the last one.
void sm_blame_skip(Sm *sm, Cycle cycles) {
  for (uint32_t s = 0; s < sm->config->warp_schedulers; s++)
    if (sm->blames[s].culprit.reason == sm->schedulers[s].use &&
        sm->schedulers[s].use != SLOT_issued)
      sm->blames[s].slots += cycles;
}

void sm_flush_stalls(Sm *sm) {
  if (!sm->loaders) return;
  for (uint32_t s = 0; s < sm->config->warp_schedulers; s++) flush(sm, &sm->blames[s]);
}
