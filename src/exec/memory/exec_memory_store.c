// SPDX-License-Identifier: MIT
// st: one function for each space and size of element.
//
// Lanes store in lane order, so that of several lanes at one address the
// highest wins. With a store queue in the context, stores to global memory are deferred;
// shared and local memory belong to one SM and change immediately.
#include "exec/memory/exec_memory.h"
#include "exec/memory/memory_access.h"
#include "exec/memory/store_queue.h"

// The data lane of a register of lane_bytes a lane: on a little-endian host
// the low part comes first, so wider registers need no other code.
ALWAYS_INLINE void store_element(uint8_t *to, const uint8_t *lanes, uint32_t lane_bytes, int lane,
                                 uint32_t size) {
  memcpy(to, lanes + (size_t)lane * lane_bytes, size);
}

ALWAYS_INLINE void store_lanes(Reach reach, const uint8_t *lanes, uint32_t lane_bytes,
                               uint32_t mask, uint32_t size) {
  if (mask == FULL_MASK) {
    for (int i = 0; i < WARP_LANES; i++)
      store_element(reach_at(reach, i), lanes, lane_bytes, i, size);
    return;
  }
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    store_element(reach_at(reach, lane), lanes, lane_bytes, lane, size);
  }
}

static inline uint32_t data_lane_bytes(const Instruction *in, uint32_t size) {
  return size == 8 || in->src_bytes == 8 ? 8 : 4;
}

ALWAYS_INLINE void store_now(const Warp *warp, const Instruction *in, uint32_t mask, Reach reach,
                             uint32_t size) {
  uint32_t count = form_elements(&in->form), lane_bytes = data_lane_bytes(in, size);
  const Place *sources = vector_sources(in);
  const uint8_t *first = place_at(warp, sources[0]);
  if (size == 4 && lane_bytes == 4 && count == 1 && mask == FULL_MASK && !reach.stride &&
      address_is_unit_stride(reach.address, 4)) {
    memcpy(reach_at(reach, 0), first, 4 * WARP_LANES);
    return;
  }
  // A lane's elements do not overlap another's unless addresses are equal, so
  // going element by element keeps the order of lanes.
  for (uint32_t k = 0; k < count; k++) {
    store_lanes(reach, place_at(warp, sources[k]), lane_bytes, mask, size);
    reach.bias += size;
  }
}

// Idle lanes are copied as well: that is quicker than asking.
ALWAYS_INLINE void store_part_later(ExecContext *context, const Warp *warp, const Instruction *in,
                                    const Place *sources, uint32_t count, uint32_t mask,
                                    Reach reach, uint32_t size) {
  uint32_t lane_bytes = data_lane_bytes(in, size);
  PendingStore *pending = store_queue_push(context->stores);
  pending->in = in;
  pending->mask = mask;
  pending->bytes = count * size;
  pending->result = NULL;
  for (int i = 0; i < WARP_LANES; i++) pending->at[i] = reach_at(reach, i);
  for (uint32_t k = 0; k < count; k++) {
    const uint8_t *lanes = place_at(warp, sources[k]);
    for (int i = 0; i < WARP_LANES; i++)
      store_element(pending->data[i] + k * size, lanes, lane_bytes, i, size);
  }
}

// An entry of the queue holds 16 bytes a lane: a vector of 32 takes two.
ALWAYS_INLINE void store_later(ExecContext *context, const Warp *warp, const Instruction *in,
                               uint32_t mask, Reach reach, uint32_t size) {
  uint32_t count = form_elements(&in->form);
  const Place *sources = vector_sources(in);
  uint32_t part = count * size > STORE_MAX_BYTES ? STORE_MAX_BYTES / size : count;
  for (uint32_t k = 0; k < count; k += part) {
    store_part_later(context, warp, in, sources + k, part, mask, reach, size);
    reach.bias += STORE_MAX_BYTES;
  }
}

ALWAYS_INLINE void store(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask,
                         Space space, uint32_t size) {
  uint32_t bytes = form_elements(&in->form) * size;
  uint64_t where[WARP_LANES];
  Reach reach;
  address_lanes(warp, in->src[0], in->address_bytes, address_extra(warp, in),
                context->access.address);
  address_fill_idle(context->access.address, mask);
  access_note(context, mask, in->form.space, bytes, true, false);
  if (!memory_reach(context, warp, space, bytes, true, where, &reach)) return;
  if (space == SPACE_GLOBAL && context->stores) {
    uint32_t own = context->access.generic_shared | context->access.generic_local;
    if (mask & ~own) store_later(context, warp, in, mask & ~own, reach, size);
    mask &= own;
    if (!mask) return;
  }
  store_now(warp, in, mask, reach, size);
}

#define STORE(space_name, SPACE, size)                                                             \
  static void store_##space_name##_##size(ExecContext *context, Warp *warp, const Instruction *in, \
                                          uint32_t mask) {                                         \
    store(context, warp, in, mask, SPACE, size);                                                   \
  }

#define STORES(space_name, SPACE)                                                              \
  STORE(space_name, SPACE, 1)                                                                  \
  STORE(space_name, SPACE, 2)                                                                  \
  STORE(space_name, SPACE, 4)                                                                  \
  STORE(space_name, SPACE, 8)                                                                  \
  static const ExecFn stores_##space_name[] = {store_##space_name##_1, store_##space_name##_2, \
                                               store_##space_name##_4, store_##space_name##_8};

STORES(global, SPACE_GLOBAL)
STORES(shared, SPACE_SHARED)
STORES(local, SPACE_LOCAL)

ExecFn exec_find_store(const Form *form) {
  int size_index = __builtin_ctz(element_bytes(form->type));
  switch (form->space) {
    case SPACE_GENERIC:
    case SPACE_GLOBAL: return stores_global[size_index];
    case SPACE_SHARED: return stores_shared[size_index];
    case SPACE_LOCAL:
    case SPACE_FRAME: return stores_local[size_index];
    default: return NULL;
  }
}
