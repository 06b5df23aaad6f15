// SPDX-License-Identifier: MIT
// Bulk copies and reductions without a tensor map (cp.async.bulk, cp.reduce.async.bulk), and stores
// and reductions whose bytes an mbarrier counts (st.async, red.async).
//
//   bulk       src[0] offset ...              where to
//              src[1] (int32_t)target src_bytes  where from
//              src[2]                         bytes
//              src[3] src[4] dst_bytes        the barrier: register or NO_PLACE, its offset,
//              register's bytes
//              src[5]                         the CTAs of a multicast, or NO_PLACE
//   st, red    as the synchronous ones, data in the list; the barrier as above
//
// All are executed immediately, so bytes arrive no later than they are expected, unless the context
// defers that. A multicast writes to the same place of each CTA of the mask, and tells the barrier
// at the same place there.
#include "exec/memory/exec_memory.h"

#include "exec/async.h"
#include "exec/cluster.h"
#include "exec/lanes.h"
#include "exec/memory/exec_atomic.h"
#include "exec/memory/memory_access.h"
#include "exec/memory/store_queue.h"

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
  bool is_global = in->form.space == SPACE_GLOBAL;
  if (!is_global || !context->stores) {
    if (in->form.operation)
      atomic_apply_bytes(&in->form, to, from, bytes, is_global);
    else
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
  async_note(note, warp, place, (uint64_t *)(void *)word, bytes, true);
  if (note == &now) async_apply(&now, &lane);
}

// One lane's copy to one CTA, or to global memory.
typedef struct BulkCopy {
  uint64_t to, from, barrier;
  uint32_t bytes;
} BulkCopy;

static bool copy_once(ExecContext *context, const Warp *warp, const Instruction *in, int lane,
                      const BulkCopy *copy) {
  enum { ALIGNMENT = 16 };
  Space to_space = (Space)in->form.space, from_space = (Space)in->form.space2;
  uint32_t bytes = copy->bytes;
  uint8_t *to = span_at(context, warp, lane, to_space, copy->to, bytes, ALIGNMENT, true);
  if (!to) return false;
  uint8_t *from = span_at(context, warp, lane, from_space, copy->from, bytes, ALIGNMENT, false);
  if (!from) return false;
  uint8_t *word = NULL;
  if (in->src[4] != NO_PLACE) {
    word = span_at(context, warp, lane, SPACE_SHARED, copy->barrier, 8, 8, true);
    if (!word) return false;
  }
  write_bytes(context, in, to, from, bytes);
  if (word) bulk_complete(context, warp, lane, word, bytes);
  return true;
}

// What the machine sees of it: global memory, once.
static void note_range(ExecContext *context, const Instruction *in, const BulkCopy *copy) {
  bool writes = in->form.space == SPACE_GLOBAL;
  if (context->bulk && (writes || in->form.space2 == SPACE_GLOBAL))
    bulk_ranges_add(context->bulk, writes ? copy->to : copy->from, copy->bytes);
}

static bool copy_lane(ExecContext *context, const Warp *warp, const Instruction *in, int lane,
                      BulkCopy copy) {
  enum { ALL = 1 };
  const uint64_t own = (UINT64_C(1) << CLUSTER_RANK_SHIFT) - 1;
  uint64_t to = copy.to & own, barrier = copy.barrier & own;
  note_range(context, in, &copy);
  if (in->src[5] == NO_PLACE) return copy_once(context, warp, in, lane, &copy);
  for (uint32_t left = lane_u32(warp, in->src[5], lane, ALL) & 0xffff; left; left &= left - 1) {
    uint64_t rank = (uint64_t)__builtin_ctz(left) + 1;
    copy.to = to | rank << CLUSTER_RANK_SHIFT;
    copy.barrier = barrier | rank << CLUSTER_RANK_SHIFT;
    if (!copy_once(context, warp, in, lane, &copy)) return false;
  }
  return true;
}

static void barrier_lanes(const Warp *warp, const Instruction *in, uint64_t barrier[WARP_LANES]) {
  if (in->src[4] == NO_PLACE) return;
  uint64_t offset = ((const Lane64 *)place_at(warp, in->src[4]))[0];
  address_lanes(warp, in->src[3], in->dst_bytes, offset, barrier);
}

EXEC(exec_copy_bulk) {
  uint64_t to[WARP_LANES], from[WARP_LANES], barrier[WARP_LANES] = {0};
  if (context->bulk) context->bulk->count = 0;
  address_lanes(warp, in->src[0], in->address_bytes, address_extra(warp, in), to);
  address_lanes(warp, in->src[1], in->src_bytes == 4 ? 4 : 8, (uint64_t)(int32_t)in->target, from);
  barrier_lanes(warp, in, barrier);
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    BulkCopy copy = {to[lane], from[lane], barrier[lane], lane_u32(warp, in->src[2], lane, 0)};
    if (!copy_lane(context, warp, in, lane, copy)) return;
  }
  int first = __builtin_ctz(mask);
  bool writes = in->form.space == SPACE_GLOBAL;
  note_bulk(context, SPACE_GLOBAL, writes ? to[first] : from[first],
            lane_u32(warp, in->src[2], first, 0), writes);
  bool is_far = writes || in->form.space2 == SPACE_GLOBAL;
  if (!is_far) context->access.mask = 0;  // from shared to shared memory: not timed
}

static bool reduction_exists(const Form *form) {
  if (!form->operation) return form->type == TYPE_NONE;
  bool is_shared = form->space == SPACE_SHARED;
  bool is_float = type_kind((DataType)form->type) == KIND_FLOAT;
  return !(is_shared && is_float) && atomic_exists(form);
}

ExecFn exec_find_copy_bulk(const Form *form) {
  return reduction_exists(form) ? exec_copy_bulk : NULL;
}

// A hint cannot fail: what is not mapped is not looked at.
void exec_bulk_prefetch(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  uint64_t from[WARP_LANES], left_bytes;
  if (!context->bulk) return;
  context->bulk->count = 0;
  address_lanes(warp, in->src[0], in->address_bytes, address_extra(warp, in), from);
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    uint32_t bytes = lane_u32(warp, in->src[2], lane, 0);
    if (memory_generic_span(context, warp, lane, from[lane], &left_bytes) && left_bytes >= bytes)
      bulk_ranges_add(context->bulk, from[lane], bytes);
  }
}

// ---- st.async, red.async

// The bytes of each lane have arrived where the data have.
static void complete_lanes(ExecContext *context, const Warp *warp, const Instruction *in,
                           uint32_t mask) {
  uint64_t barrier[WARP_LANES];
  uint32_t bytes = element_bytes(in->form.type) * form_elements(&in->form);
  barrier_lanes(warp, in, barrier);
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    uint8_t *word = span_at(context, warp, lane, (Space)in->form.space, barrier[lane], 8, 8, true);
    if (!word) return;
    bulk_complete(context, warp, lane, word, bytes);
  }
}

EXEC(exec_store_async) {
  exec_find_store (&in->form)(context, warp, in, mask);
  if (!context->fault.kind) complete_lanes(context, warp, in, mask);
}

EXEC(exec_reduce_async) {
  exec_atomic(context, warp, in, mask);
  if (!context->fault.kind) complete_lanes(context, warp, in, mask);
}

static bool is_shared_word(const Form *form) {
  uint32_t bytes = element_bytes(form->type);
  return (form->space == SPACE_SHARED || form->space == SPACE_GENERIC) &&
         (bytes == 4 || bytes == 8);
}

ExecFn exec_find_store_async(const Form *form) {
  return is_shared_word(form) ? exec_store_async : NULL;
}

// inc, dec, min, max, add on integers and and, or, xor on 32 bits.
ExecFn exec_find_reduce_async(const Form *form) {
  bool is_float = type_kind((DataType)form->type) == KIND_FLOAT;
  bool is_exchange = form->operation == OPERATION_EXCH || form->operation == OPERATION_CAS;
  if (!is_shared_word(form) || is_float || is_exchange || form->vector > 1) return NULL;
  return atomic_exists(form) ? exec_reduce_async : NULL;
}
