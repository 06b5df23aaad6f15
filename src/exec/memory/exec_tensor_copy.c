// SPDX-License-Identifier: MIT
// Bulk copies of tiles: cp.async.bulk.tensor between global memory, as a tensor map describes it,
// and shared memory, where the box lies in one piece, its contiguous dimension first; reductions
// into global memory (cp.reduce), and prefetches, of which the machine sees the ranges.
//
//   src[0] offset ...           where in shared memory
//   src[3] src[4] dst_bytes     the barrier, as of other bulk copies (exec_mbarrier.c)
//   list->src                   the address of the map (64 bits), then a coordinate for each
//   dimension,
//                               then the mask of CTAs of a multicast, or NO_PLACE
//
// Elements outside the tensor read as zeros and are not written. A multicast writes to the same
// place of each CTA of the mask, and tells the barrier at the same place there.
#include "exec/memory/exec_memory.h"

#include "exec/async.h"
#include "exec/cluster.h"
#include "exec/lanes.h"
#include "exec/memory/exec_atomic.h"
#include "exec/memory/memory_access.h"
#include "exec/memory/store_queue.h"
#include "exec/memory/tensor_map.h"

typedef struct TensorCopy {
  ExecContext *context;
  Warp *warp;
  const Instruction *in;
  int lane;
  TensorMap map;
  int32_t at[TENSOR_MAX_RANK];  // of the box
  uint64_t shared;              // address
  uint32_t element_bytes;
  uint32_t bytes;               // of the box
  Form reduction;               // of elements into global memory; operation 0: none
  bool is_load;
} TensorCopy;

static bool fault_at(const TensorCopy *copy, FaultKind kind, Space space, uint64_t address) {
  fault_raise_access(copy->context, copy->warp, kind, copy->lane, space, address, 16,
                     (space == SPACE_SHARED) == copy->is_load);
  return false;
}

static bool read_map(TensorCopy *copy) {
  const PlaceList *list = copy->in->list;
  uint64_t address = ((const Lane64 *)place_at(copy->warp, list->src[0]))[copy->lane];
  TensorMap *map = &copy->map;
  if (!exec_read_generic(copy->context, copy->warp, copy->lane, address, map, sizeof *map))
    return fault_at(copy, FAULT_OUT_OF_BOUNDS, SPACE_GENERIC, address);
  copy->reduction = copy->in->form;
  copy->reduction.type = (uint8_t)tensor_element(map);
  if (map->magic != TENSOR_MAP_MAGIC || map->rank != copy->in->form.vector ||
      !copy->reduction.type || (copy->reduction.operation && !atomic_exists(&copy->reduction)))
    return fault_at(copy, FAULT_BAD_TENSOR_MAP, SPACE_GENERIC, address);
  copy->bytes = copy->element_bytes = (uint32_t)type_bytes(tensor_element(map));
  for (uint32_t d = 0; d < map->rank; d++) {
    copy->at[d] = (int32_t)lane_u32(copy->warp, list->src[1 + d], copy->lane, 0);
    copy->bytes *= map->box[d];
  }
  return true;
}

// The bytes of a row of the box that are inside the tensor: first and end, counted in the row.
static void inside(const TensorCopy *copy, uint32_t *first, uint32_t *end) {
  const TensorMap *map = &copy->map;
  int64_t low = copy->at[0] < 0 ? -(int64_t)copy->at[0] : 0;
  int64_t high = (int64_t)map->size[0] - copy->at[0];
  if (low > map->box[0]) low = map->box[0];
  if (high > map->box[0]) high = map->box[0];
  if (high < low) high = low;
  *first = (uint32_t)low * copy->element_bytes;
  *end = (uint32_t)high * copy->element_bytes;
}

// The address of row `row` of the box in global memory; false: the row is outside.
static bool row_address(const TensorCopy *copy, uint32_t row, uint64_t *address) {
  const TensorMap *map = &copy->map;
  *address = map->address + (uint64_t)((int64_t)copy->at[0] * copy->element_bytes);
  for (uint32_t d = 1; d < map->rank; d++) {
    int64_t at = (int64_t)copy->at[d] + row % map->box[d];
    row /= map->box[d];
    if (at < 0 || (uint64_t)at >= map->size[d]) return false;
    *address += (uint64_t)at * map->stride[d - 1];
  }
  return true;
}

static uint8_t *global_at(const TensorCopy *copy, uint64_t address, uint32_t bytes) {
  uint64_t left = 0;
  uint8_t *at = memory_generic_span(copy->context, copy->warp, copy->lane, address, &left);
  if (at && left >= bytes) return at;
  fault_at(copy, FAULT_OUT_OF_BOUNDS, SPACE_GLOBAL, address);
  return NULL;
}

static uint8_t *chunk_at(const TensorCopy *copy, const Cta *cta, uint64_t byte) {
  uint64_t offset = copy->shared & ((UINT64_C(1) << CLUSTER_RANK_SHIFT) - 1);
  return cta->shared + swizzled(offset + byte, copy->map.swizzle);
}

static void store_row(const TensorCopy *copy, uint8_t *to, const uint8_t *row, uint32_t bytes) {
  bool reduces = copy->reduction.operation;
  if (!copy->context->stores) {
    if (reduces)
      atomic_apply_bytes(&copy->reduction, to, row, bytes, true);
    else
      memcpy(to, row, bytes);
    return;
  }
  for (uint32_t done = 0; done < bytes; done += STORE_MAX_BYTES) {
    uint32_t part = bytes - done < STORE_MAX_BYTES ? bytes - done : STORE_MAX_BYTES;
    PendingStore *pending = store_queue_push(copy->context->stores);
    *pending = (PendingStore){
        .in = copy->in, .bytes = part, .mask = 1, .operand2 = {copy->reduction.type}};
    pending->at[0] = to + done;
    memcpy(pending->data[0], row + done, part);
  }
}

enum { CHUNK = 16, MAX_ROW_BYTES = 256 * 8 };

// One row of the box between global memory and the shared memory of a CTA, in chunks as swizzled.
static bool move_row(const TensorCopy *copy, const Cta *cta, uint32_t row, uint32_t row_bytes) {
  uint8_t data[MAX_ROW_BYTES] = {0}, *global = NULL;
  uint32_t first, end;
  uint64_t address, byte = (uint64_t)row * row_bytes;
  inside(copy, &first, &end);
  if (!row_address(copy, row, &address)) end = first;
  if (end > first && !(global = global_at(copy, address + first, end - first))) return false;
  if (copy->is_load && global) memcpy(data + first, global, end - first);
  for (uint32_t i = 0; i < row_bytes; i++) {
    uint8_t *shared = chunk_at(copy, cta, byte + i);
    if (copy->is_load)
      *shared = data[i];
    else
      data[i] = *shared;
  }
  if (!copy->is_load && global) store_row(copy, global, data + first, end - first);
  return true;
}

static uint32_t row_count(const TensorMap *map) {
  uint32_t rows = 1;
  for (uint32_t d = 1; d < map->rank; d++) rows *= map->box[d];
  return rows;
}

static bool move_box(const TensorCopy *copy, Cta *cta) {
  uint64_t offset = copy->shared & ((UINT64_C(1) << CLUSTER_RANK_SHIFT) - 1);
  uint32_t row_bytes = copy->map.box[0] * copy->element_bytes, rows = row_count(&copy->map);
  if (offset % CHUNK) return fault_at(copy, FAULT_MISALIGNED, SPACE_SHARED, copy->shared);
  // Swizzling stays within lines of 128 bytes.
  uint64_t end = offset + copy->bytes;
  if (copy->map.swizzle) end = (end + 127) / 128 * 128;
  if (end > cta->shared_bytes || row_bytes > MAX_ROW_BYTES)
    return fault_at(copy, FAULT_OUT_OF_BOUNDS, SPACE_SHARED, copy->shared);
  for (uint32_t row = 0; row < rows; row++)
    if (!move_row(copy, cta, row, row_bytes)) return false;
  return true;
}

// What the machine sees: the rows that are inside, once.
static void note_ranges(const TensorCopy *copy) {
  uint32_t first, end;
  uint64_t address;
  if (!copy->context->bulk) return;
  inside(copy, &first, &end);
  for (uint32_t row = 0; end > first && row < row_count(&copy->map); row++)
    if (row_address(copy, row, &address))
      bulk_ranges_add(copy->context->bulk, address + first, end - first);
}

static bool tell_barrier(const TensorCopy *copy, Cta *cta, uint64_t barrier) {
  uint64_t offset = barrier & ((UINT64_C(1) << CLUSTER_RANK_SHIFT) - 1);
  if (offset % 8 || offset + 8 > cta->shared_bytes)
    return fault_at(copy, FAULT_OUT_OF_BOUNDS, SPACE_SHARED, barrier);
  bulk_complete(copy->context, copy->warp, copy->lane, cta->shared + offset, copy->bytes);
  return true;
}

static bool load_box(TensorCopy *copy, uint64_t barrier) {
  const PlaceList *list = copy->in->list;
  Place places = list->src[list->src_count - 1];
  Cta *own = copy->warp->cta;
  uint64_t offset;
  if (places == NO_PLACE) {
    Cta *cta = cluster_owner(own, copy->shared, &offset);
    Cta *told = cluster_owner(own, barrier, &offset);
    if (!cta || !told) return fault_at(copy, FAULT_BAD_CLUSTER, SPACE_SHARED, copy->shared);
    return move_box(copy, cta) && tell_barrier(copy, told, barrier);
  }
  uint32_t mask = lane_u32(copy->warp, places, copy->lane, 0) & 0xffff;
  for (uint32_t left = mask; left; left &= left - 1) {
    uint64_t code = (uint64_t)(__builtin_ctz(left) + 1) << CLUSTER_RANK_SHIFT;
    Cta *cta = cluster_owner(own, code, &offset);
    if (!cta) return fault_at(copy, FAULT_BAD_CLUSTER, SPACE_SHARED, code);
    if (!move_box(copy, cta) || !tell_barrier(copy, cta, barrier)) return false;
  }
  return true;
}

static bool copy_lane(TensorCopy *copy, uint64_t barrier) {
  if (!read_map(copy)) return false;
  note_ranges(copy);
  if (copy->in->form.option & OPTION_PREFETCH) return true;
  return copy->is_load ? load_box(copy, barrier) : move_box(copy, copy->warp->cta);
}

EXEC(exec_copy_tensor) {
  uint64_t shared[WARP_LANES], barrier[WARP_LANES] = {0};
  if (context->bulk) context->bulk->count = 0;
  address_lanes(warp, in->src[0], in->address_bytes, address_extra(warp, in), shared);
  if (in->src[4] != NO_PLACE)
    address_lanes(warp, in->src[3], in->dst_bytes, ((const Lane64 *)place_at(warp, in->src[4]))[0],
                  barrier);
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    TensorCopy copy = {.context = context,
                       .warp = warp,
                       .in = in,
                       .lane = lane,
                       .shared = (uint32_t)shared[lane],
                       .is_load = in->form.space == SPACE_SHARED};
    if (!copy_lane(&copy, (uint32_t)barrier[lane])) return;
  }
}

ExecFn exec_find_copy_tensor(const Form *form) {
  return form->vector >= 1 && form->vector <= TENSOR_MAX_RANK ? exec_copy_tensor : NULL;
}
