// SPDX-License-Identifier: MIT
// mbarrier and what goes with it: cp.async.mbarrier.arrive and cp.async.bulk.
//
//   mbarrier   src[0] offset ...  the barrier's address    src[1]  count, bytes, state or parity
//              dst[0]  the state of an arrival, the predicate of a wait, the count; or NO_PLACE
//
//   bulk       src[0] offset ...              where to
//              src[1] (int32_t)target src_bytes  where from
//              src[2]                         bytes
//              src[3] src[4] dst_bytes        the barrier: register or NO_PLACE, its offset,
//              register's bytes
//
// A wait never blocks here: it returns whether the phase is complete, and programs poll; a timed
// machine may hold the result back (async.h). Copies are executed immediately, so bytes arrive no
// later than they are expected, unless the context defers that.
#include "exec/memory/exec_memory.h"
#include "exec/async.h"
#include "exec/mbarrier.h"
#include "exec/memory/memory_access.h"
#include "exec/lanes.h"
#include "exec/memory/store_queue.h"

static uint32_t lane_u32(const Warp *warp, Place place, int lane, uint32_t otherwise) {
  return place == NO_PLACE ? otherwise : ((const Lane32 *)place_at(warp, place))[lane];
}

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

EXEC(exec_change) {
  uint64_t where[WARP_LANES];
  if (!barrier_reach(context, warp, in, mask, where)) return;
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

static void note_arrival(AsyncNote *note, const Warp *warp, int lane, uint64_t *word,
                         uint32_t amount, bool is_bytes) {
  note->mask |= 1u << lane;
  note->is_bytes = is_bytes;
  note->warp = warp;
  note->word[lane] = word;
  note->amount[lane] = amount;
}

// The arrival that follows a thread's copies. Without .noinc the barrier counts it before: where
// copies are over at once, nothing changes.
static bool arrive_after_copies(ExecContext *context, const Warp *warp, const Instruction *in,
                                int lane, uint64_t *word) {
  bool is_counted = in->form.option & OPTION_NO_INCREMENT;
  Mbarrier barrier = mbarrier_unpack(*word);
  if (context->note) {
    note_arrival(context->note, warp, lane, word, 1, false);
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

// The bytes behind one lane's address in a space; NULL after a fault.
static uint8_t *span_at(ExecContext *context, const Warp *warp, int lane, Space space,
                        uint64_t address, uint32_t bytes, uint32_t alignment, bool write) {
  uint64_t left = 0, generic = space == SPACE_SHARED ? SHARED_WINDOW + address : address;
  FaultKind kind = FAULT_OUT_OF_BOUNDS;
  uint8_t *at = memory_generic_span(context, warp, lane, generic, &left);
  if (address % alignment || bytes % alignment)
    kind = FAULT_MISALIGNED;
  else if (at && left >= bytes)
    return at;
  fault_raise_access(context, warp, kind, lane, space, address, bytes, write);
  return NULL;
}

// Global memory changes at the end of the cycle where there is a queue.
static void write_bytes(ExecContext *context, const Instruction *in, uint8_t *to,
                        const uint8_t *from, uint32_t bytes) {
  if (in->form.space != SPACE_GLOBAL || !context->stores) {
    memmove(to, from, bytes);
    return;
  }
  for (uint32_t done = 0; done < bytes;) {
    PendingStore *pending = store_queue_push(context->stores);
    *pending = (PendingStore){.in = in, .bytes = STORE_MAX_BYTES};
    for (int i = 0; i < WARP_LANES && done < bytes; i++, done += STORE_MAX_BYTES) {
      pending->mask |= 1u << i;
      pending->at[i] = to + done;
      memcpy(pending->data[i], from + done, STORE_MAX_BYTES);
    }
  }
}

static void note_bulk(ExecContext *context, Space space, uint64_t address, uint32_t bytes,
                      bool write) {
  enum { PIECE = 32 };
  uint32_t pieces = (bytes + PIECE - 1) / PIECE;
  for (uint32_t i = 0; i < WARP_LANES; i++)
    context->access.address[i] = (address & ~(uint64_t)(PIECE - 1)) + i * PIECE;
  access_note(context, pieces >= WARP_LANES ? FULL_MASK : (1u << pieces) - 1, space, PIECE, write,
              false);
}

// Of a multicast a lane tells several: their notes take the places of idle lanes.
void bulk_complete(ExecContext *context, const Warp *warp, int lane, uint8_t *word,
                   uint32_t bytes) {
  AsyncNote now = {0}, *note = context->note ? context->note : &now;
  if (note->mask == FULL_MASK) {  // no place is left: at once
    now = (AsyncNote){0};
    note = &now;
  }
  int place = note->mask >> lane & 1 ? __builtin_ctz(~note->mask) : lane;
  note_arrival(note, warp, place, (uint64_t *)(void *)word, bytes, true);
  if (note == &now) async_apply(&now, &lane);
}

static bool copy_lane(ExecContext *context, const Warp *warp, const Instruction *in, int lane,
                      uint64_t to_address, uint64_t from_address, uint64_t barrier_address) {
  enum { ALIGNMENT = 16 };
  uint32_t bytes = lane_u32(warp, in->src[2], lane, 0);
  Space to_space = (Space)in->form.space, from_space = (Space)in->form.space2;
  uint8_t *to = span_at(context, warp, lane, to_space, to_address, bytes, ALIGNMENT, true);
  if (!to) return false;
  uint8_t *from = span_at(context, warp, lane, from_space, from_address, bytes, ALIGNMENT, false);
  if (!from) return false;
  uint8_t *word = NULL;
  if (in->src[4] != NO_PLACE) {
    word = span_at(context, warp, lane, SPACE_SHARED, barrier_address, 8, 8, true);
    if (!word) return false;
  }
  write_bytes(context, in, to, from, bytes);
  if (context->bulk) {
    bool is_far = to_space == SPACE_GLOBAL || from_space == SPACE_GLOBAL;
    if (is_far)
      bulk_ranges_add(context->bulk, to_space == SPACE_GLOBAL ? to_address : from_address, bytes);
  }
  if (word) bulk_complete(context, warp, lane, word, bytes);
  return true;
}

EXEC(exec_copy_bulk) {
  uint64_t to[WARP_LANES], from[WARP_LANES], barrier[WARP_LANES] = {0};
  if (context->bulk) context->bulk->count = 0;
  address_lanes(warp, in->src[0], in->address_bytes, address_extra(warp, in), to);
  address_lanes(warp, in->src[1], in->src_bytes == 4 ? 4 : 8, (uint64_t)(int32_t)in->target, from);
  if (in->src[4] != NO_PLACE)
    address_lanes(warp, in->src[3], in->dst_bytes, ((const Lane64 *)place_at(warp, in->src[4]))[0],
                  barrier);
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    if (!copy_lane(context, warp, in, lane, to[lane], from[lane], barrier[lane])) return;
  }
  int first = __builtin_ctz(mask);
  bool writes = in->form.space == SPACE_GLOBAL;
  note_bulk(context, SPACE_GLOBAL, writes ? to[first] : from[first],
            lane_u32(warp, in->src[2], first, 0), writes);
  bool is_far = writes || in->form.space2 == SPACE_GLOBAL;
  if (!is_far) context->access.mask = 0;  // from shared to shared memory: not timed
}

ExecFn exec_find_copy_async(const Form *form) {
  if (form->mode == MODE_COPY_ARRIVE) return form->type == TYPE_B64 ? exec_copy_arrive : NULL;
  return exec_copy_bulk;
}
