// SPDX-License-Identifier: MIT
// suld and sust: bytes of arrays, without filters and formats.
//
//   suld   dst[0..3]    src[0] handle (64 bits), src[1..] coordinates, 32 bits each
//   sust                the same; list->src[0..3] are the values
//
// The first coordinate counts bytes, the others rows and slices; of a1d and a2d
// a layer comes first. What lies beside the surface is a fault, or the nearest
// place, or nothing. A surface is a texture as the table knows it; its bytes
// are global memory to the machine.
#include "exec/memory/memory_access.h"
#include "exec/memory/store_queue.h"
#include "exec/texture/texture.h"

static int surface_dimensions(uint8_t mode) {
  switch (mode) {
    case MODE_TEX_1D:
    case MODE_TEX_A1D: return 1;
    case MODE_TEX_2D:
    case MODE_TEX_A2D: return 2;
    case MODE_TEX_3D: return 3;
    default: return 0;
  }
}

static int64_t at_least_one(uint32_t size) {
  return size ? size : 1;
}

// Clamps a coordinate to 0 .. last where the boundary mode allows it; false if it is outside.
static bool bound(int64_t *at, int64_t last, Boundary boundary) {
  if (*at >= 0 && *at <= last) return true;
  if (boundary != BOUNDARY_CLAMP || last < 0) return false;
  *at = *at < 0 ? 0 : last;
  return true;
}

// The address of a lane's bytes. False if they are outside the surface; *address is then the
// one that an error message reports.
static bool locate(const Texture *surface, const Warp *warp, const Instruction *in, int lane,
                   uint32_t bytes, uint64_t *address) {
  bool has_layer = in->form.mode == MODE_TEX_A1D || in->form.mode == MODE_TEX_A2D;
  int dimensions = surface_dimensions(in->form.mode);
  int64_t at[4] = {0};
  for (int k = 0; k < dimensions + has_layer; k++)
    at[k] = ((const int32_t *)place_at(warp, in->src[1 + k]))[lane];
  int64_t layer = has_layer ? at[0] : 0, *own = at + has_layer;
  Boundary boundary = (Boundary)in->form.part;
  *address = surface->address + (uint64_t)own[0];
  int64_t row_bytes = (int64_t)surface->width * texture_texel_bytes(surface);
  if (!bound(&layer, at_least_one(surface->layers) - 1, boundary) ||
      !bound(&own[0], row_bytes - bytes, boundary) ||
      (dimensions > 1 && !bound(&own[1], at_least_one(surface->height) - 1, boundary)) ||
      (dimensions > 2 && !bound(&own[2], at_least_one(surface->depth) - 1, boundary)))
    return false;
  *address = surface->address + (uint64_t)own[0];
  if (dimensions > 1) *address += (uint64_t)own[1] * surface->pitch_bytes;
  if (dimensions > 2) *address += (uint64_t)own[2] * surface->slice_bytes;
  *address += (uint64_t)layer * surface->slice_bytes;
  return true;
}

// Fills the context's addresses; *inside gets the lanes that touch the
// surface. False after a fault.
static bool locate_all(ExecContext *context, const Warp *warp, const Instruction *in, uint32_t mask,
                       uint32_t bytes, uint32_t *inside) {
  *inside = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    uint64_t handle = ((const uint64_t *)place_at(warp, in->src[0]))[lane];
    const Texture *surface = texture_table_find(context->textures, handle);
    if (!surface) {
      fault_raise_access(context, warp, FAULT_BAD_TEXTURE, lane, SPACE_TEXTURE, handle, 0, false);
      return false;
    }
    if (locate(surface, warp, in, lane, bytes, &context->access.address[lane])) {
      *inside |= 1u << lane;
    } else if (in->form.part == BOUNDARY_TRAP) {
      fault_raise_access(context, warp, FAULT_OUT_OF_BOUNDS, lane, SPACE_GLOBAL,
                         context->access.address[lane], bytes, in->form.op == OP_SUST);
      return false;
    }
  }
  if (*inside) address_fill_idle(context->access.address, *inside);
  return true;
}

// The machine is told of the places in blocks once the bytes have been reached.
static void note_machine_addresses(ExecContext *context, const Warp *warp, const Instruction *in,
                                   uint32_t inside) {
  for (uint32_t left = inside; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    uint64_t handle = ((const uint64_t *)place_at(warp, in->src[0]))[lane];
    uint64_t *address = &context->access.address[lane];
    *address = texture_machine_address(texture_table_find(context->textures, handle), *address);
  }
}

static void clear(const Warp *warp, const Instruction *in, uint32_t mask) {
  uint32_t lane_bytes = in->dst_bytes == 8 ? 8 : 4;
  for (int k = 0; k < MAX_DESTINATIONS; k++) {
    if (in->dst[k] == NO_PLACE) continue;
    uint8_t *to = place_at(warp, in->dst[k]);
    for (uint32_t left = mask; left; left &= left - 1)
      memset(to + (uint32_t)__builtin_ctz(left) * lane_bytes, 0, lane_bytes);
  }
}

static void exec_suld(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  uint32_t size = element_bytes(in->form.type), count = form_elements(&in->form), inside;
  uint32_t lane_bytes = in->dst_bytes == 8 ? 8 : 4;
  uint64_t where[WARP_LANES];
  Reach reach;
  if (!locate_all(context, warp, in, mask, size * count, &inside)) return;
  clear(warp, in, mask);
  if (!inside) return;
  access_note(context, inside, SPACE_GLOBAL, size * count, false, false);
  if (!memory_reach(context, warp, SPACE_GLOBAL, size * count, false, where, &reach)) return;
  for (uint32_t k = 0; k < count; k++) {
    if (in->dst[k] == NO_PLACE) continue;
    uint8_t *to = place_at(warp, in->dst[k]);
    for (uint32_t left = inside; left; left &= left - 1) {
      int lane = __builtin_ctz(left);
      memcpy(to + (uint32_t)lane * lane_bytes, reach_at(reach, lane) + k * size, size);
    }
  }
  note_machine_addresses(context, warp, in, inside);
}

// A lane's values as they stand in memory.
static void gather(const Warp *warp, const Instruction *in, int lane, uint32_t size, uint8_t *to) {
  for (uint32_t k = 0; k < in->list->src_count; k++) {
    const uint8_t *lanes = place_at(warp, in->list->src[k]);
    memcpy(to + k * size, lanes + (uint32_t)lane * in->src_bytes, size);
  }
}

static void exec_sust(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  uint32_t size = element_bytes(in->form.type), bytes = size * form_elements(&in->form), inside;
  uint64_t where[WARP_LANES];
  Reach reach;
  if (!locate_all(context, warp, in, mask, bytes, &inside) || !inside) return;
  access_note(context, inside, SPACE_GLOBAL, bytes, true, false);
  if (!memory_reach(context, warp, SPACE_GLOBAL, bytes, true, where, &reach)) return;
  PendingStore *pending = context->stores ? store_queue_push(context->stores) : NULL;
  if (pending) {
    pending->in = in;
    pending->mask = inside;
    pending->bytes = bytes;
    pending->result = NULL;
  }
  for (uint32_t left = inside; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    if (pending) pending->at[lane] = reach_at(reach, lane);
    gather(warp, in, lane, size, pending ? pending->data[lane] : reach_at(reach, lane));
  }
  note_machine_addresses(context, warp, in, inside);
}

ExecFn exec_find_surface(const Form *form) {
  if (!surface_dimensions(form->mode) || !element_bytes(form->type)) return NULL;
  return form->op == OP_SULD ? exec_suld : exec_sust;
}
