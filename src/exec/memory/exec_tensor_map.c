// SPDX-License-Identifier: MIT
// Tensor maps that kernels make themselves: tensormap.replace changes a field, and
// tensormap.cp_fenceproxy copies a map from shared to global memory.
//
//   replace        src[0] offset ...  the map    src[1]  the value    target  the dimension
//   cp_fenceproxy  src[0] offset ...  where to   src[1] (int32_t)target src_bytes  where from
//
// The first change makes a map of 128 zeros. Orders of proxies have no meaning here: bulk copies
// see what other instructions have written. Element strides other than 1, interleaving and NaN fill
// are faults, as where the driver makes the map.
#include "exec/memory/exec_memory.h"

#include "exec/lanes.h"
#include "exec/memory/memory_access.h"
#include "exec/memory/store_queue.h"
#include "exec/memory/tensor_map.h"

// PTX numbers types as it does, the driver otherwise.
static uint8_t element_of(uint64_t value) {
  static const uint8_t elements[] = {0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11, 12};
  return value < sizeof elements ? elements[value] : UINT8_MAX;
}

static bool dimension_is_known(MapField field, uint32_t d) {
  return d < (field == FIELD_STRIDE ? TENSOR_MAX_RANK - 1 : TENSOR_MAX_RANK);
}

// False: there is no such value. Strides are in bytes, ranks counted from 0.
static bool change(TensorMap *map, MapField field, uint32_t d, uint64_t value) {
  if (!dimension_is_known(field, d)) return false;
  switch (field) {
    case FIELD_ADDRESS: map->address = value; return value % 16 == 0;
    case FIELD_RANK: map->rank = (uint8_t)(value + 1); return value < TENSOR_MAX_RANK;
    case FIELD_BOX: map->box[d] = (uint32_t)value; return value >= 1 && value <= 256;
    case FIELD_SIZE: map->size[d] = (uint32_t)value; return true;
    case FIELD_STRIDE: map->stride[d] = value; return value % 16 == 0;
    case FIELD_ELEMENT_STRIDE: return value == 1;
    case FIELD_ELEMENT: map->element = element_of(value); return tensor_element(map) != TYPE_NONE;
    case FIELD_SWIZZLE: map->swizzle = (uint8_t)value; return value <= 3;
    default: return value == 0;
  }
}

static uint8_t *map_at(ExecContext *context, const Warp *warp, int lane, Space space,
                       uint64_t address, bool write) {
  uint64_t left = 0, generic = space == SPACE_SHARED ? SHARED_WINDOW + address : address;
  FaultKind kind = FAULT_OUT_OF_BOUNDS;
  uint8_t *at = memory_generic_span(context, warp, lane, generic, &left);
  if (address % 64)
    kind = FAULT_MISALIGNED;
  else if (at && left >= TENSOR_MAP_BYTES)
    return at;
  fault_raise_access(context, warp, kind, lane, space, address, TENSOR_MAP_BYTES, write);
  return NULL;
}

// Global memory changes at the end of the cycle where there is a queue.
static void write_map(ExecContext *context, const Instruction *in, uint8_t *to,
                      const TensorMap *map) {
  const uint8_t *from = (const uint8_t *)map;
  if (in->form.space != SPACE_GLOBAL || !context->stores) {
    memcpy(to, from, TENSOR_MAP_BYTES);
    return;
  }
  PendingStore *pending = store_queue_push(context->stores);
  *pending = (PendingStore){.in = in, .bytes = STORE_MAX_BYTES};
  for (uint32_t i = 0; i < TENSOR_MAP_BYTES / STORE_MAX_BYTES; i++) {
    pending->mask |= 1u << i;
    pending->at[i] = to + i * STORE_MAX_BYTES;
    memcpy(pending->data[i], from + i * STORE_MAX_BYTES, STORE_MAX_BYTES);
  }
}

static uint64_t value_of(const Warp *warp, const Instruction *in, int lane) {
  const void *lanes = place_at(warp, in->src[1]);
  bool is_wide = type_bytes((DataType)in->form.type) == 8;
  return is_wide ? ((const Lane64 *)lanes)[lane] : ((const Lane32 *)lanes)[lane];
}

EXEC(exec_replace) {
  uint64_t address[WARP_LANES];
  address_lanes(warp, in->src[0], in->address_bytes, address_extra(warp, in), address);
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    uint8_t *at = map_at(context, warp, lane, (Space)in->form.space, address[lane], true);
    if (!at) return;
    TensorMap map;
    memcpy(&map, at, sizeof map);
    map.magic = TENSOR_MAP_MAGIC;
    if (!change(&map, (MapField)in->form.part, in->target, value_of(warp, in, lane))) {
      fault_raise(context, warp, FAULT_BAD_TENSOR_MAP, lane);
      return;
    }
    write_map(context, in, at, &map);
  }
}

// By the whole warp, once: the addresses are those of its lowest lane.
EXEC(exec_copy_map) {
  uint64_t to[WARP_LANES], from[WARP_LANES];
  int lane = __builtin_ctz(mask);
  address_lanes(warp, in->src[0], in->address_bytes, address_extra(warp, in), to);
  address_lanes(warp, in->src[1], in->src_bytes == 4 ? 4 : 8, (uint64_t)(int32_t)in->target, from);
  uint8_t *target = map_at(context, warp, lane, (Space)in->form.space, to[lane], true);
  if (!target) return;
  uint8_t *source = map_at(context, warp, lane, (Space)in->form.space2, from[lane], false);
  if (!source) return;
  TensorMap map;
  memcpy(&map, source, sizeof map);
  write_map(context, in, target, &map);
}

ExecFn exec_find_tensor_map(const Form *form) {
  bool is_wide = form->part == FIELD_ADDRESS || form->part == FIELD_STRIDE;
  if (form->mode == MODE_MAP_COPY)
    return form->space == SPACE_GLOBAL && form->space2 == SPACE_SHARED ? exec_copy_map : NULL;
  return form->type == (is_wide ? TYPE_B64 : TYPE_B32) ? exec_replace : NULL;
}
