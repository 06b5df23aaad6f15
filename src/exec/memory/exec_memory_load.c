// SPDX-License-Identifier: MIT
// ld and ldu: one function for each space and kind of element, all made from
// the one below by the compiler.
//
// Registers narrower than 32 bits occupy 32-bit lanes. A signed element is
// extended to the whole lane; where dst_bytes is 2 the upper half is zeroed.
#include "exec/memory/exec_memory.h"
#include "exec/memory/memory_access.h"

typedef enum Element {
  ELEMENT_U8,
  ELEMENT_S8,
  ELEMENT_U16,
  ELEMENT_S16,
  ELEMENT_U32,
  ELEMENT_S32,
  ELEMENT_64
} Element;
enum { ELEMENT_COUNT = ELEMENT_64 + 1 };

ALWAYS_INLINE uint64_t element_load(Element element, const uint8_t *from) {
  uint64_t bits = 0;
  switch (element) {
    case ELEMENT_U8: return *from;
    case ELEMENT_S8: return (uint64_t)(int64_t)(int8_t)*from;
    case ELEMENT_U16: memcpy(&bits, from, 2); return bits;
    case ELEMENT_S16: memcpy(&bits, from, 2); return (uint64_t)(int64_t)(int16_t)bits;
    case ELEMENT_U32: memcpy(&bits, from, 4); return bits;
    case ELEMENT_S32: memcpy(&bits, from, 4); return (uint64_t)(int64_t)(int32_t)bits;
    case ELEMENT_64: memcpy(&bits, from, 8); return bits;
  }
  return bits;
}

static inline uint32_t element_size(Element element) {
  return element < ELEMENT_U16 ? 1 : element < ELEMENT_U32 ? 2 : element < ELEMENT_64 ? 4 : 8;
}

// Lanes that go their own ways are not vectorised: the loop should not cost more than they do.
#define UNROLLED _Pragma("GCC unroll 8")

// Reads lane by lane into `to`, which is a register or a buffer for blending.
ALWAYS_INLINE void load_32(Element element, Reach reach, uint32_t *restrict to) {
  UNROLLED for (int i = 0; i < WARP_LANES; i++)
    to[i] = (uint32_t)element_load(element, reach_at(reach, i));
}

ALWAYS_INLINE void load_64(Element element, Reach reach, uint64_t *restrict to) {
  UNROLLED for (int i = 0; i < WARP_LANES; i++)
    to[i] = element_load(element, reach_at(reach, i));
}

static void blend_32(uint32_t *restrict to, const uint32_t *restrict from, uint32_t mask) {
  for (int i = 0; i < WARP_LANES; i++) to[i] = mask >> i & 1 ? from[i] : to[i];
}

static void blend_64(uint64_t *restrict to, const uint64_t *restrict from, uint32_t mask) {
  for (int i = 0; i < WARP_LANES; i++) to[i] = mask >> i & 1 ? from[i] : to[i];
}

static void spread_32(uint32_t *to, uint32_t bits, uint32_t mask) {
  if (mask == FULL_MASK)
    for (int i = 0; i < WARP_LANES; i++) to[i] = bits;
  else
    for (int i = 0; i < WARP_LANES; i++) to[i] = mask >> i & 1 ? bits : to[i];
}

static void spread_64(uint64_t *to, uint64_t bits, uint32_t mask) {
  if (mask == FULL_MASK)
    for (int i = 0; i < WARP_LANES; i++) to[i] = bits;
  else
    for (int i = 0; i < WARP_LANES; i++) to[i] = mask >> i & 1 ? bits : to[i];
}

static void clear_upper_halves(uint32_t *to, uint32_t mask) {
  for (int i = 0; i < WARP_LANES; i++) to[i] = mask >> i & 1 ? to[i] & 0xffff : to[i];
}

// One register's worth for all lanes of the mask.
ALWAYS_INLINE void load_register(const Warp *warp, const Instruction *in, Place place,
                                 uint32_t mask, Element element, Reach reach) {
  if (place == NO_PLACE) return;
  void *to = place_at(warp, place);
  if (element == ELEMENT_64 || in->dst_bytes == 8) {
    uint64_t lanes[WARP_LANES];
    load_64(element, reach, mask == FULL_MASK ? to : lanes);
    if (mask != FULL_MASK) blend_64(to, lanes, mask);
    return;
  }
  uint32_t lanes[WARP_LANES];
  load_32(element, reach, mask == FULL_MASK ? to : lanes);
  if (mask != FULL_MASK) blend_32(to, lanes, mask);
  if ((element == ELEMENT_S8 || element == ELEMENT_S16) && in->dst_bytes == 2)
    clear_upper_halves(to, mask);
}

ALWAYS_INLINE void load_elements(const Warp *warp, const Instruction *in, uint32_t mask,
                                 Element element, uint32_t count, Reach reach) {
  const Place *destinations = vector_destinations(in);
  for (uint32_t k = 0; k < count; k++) {
    load_register(warp, in, destinations[k], mask, element, reach);
    reach.bias += element_size(element);
  }
}

// Neighbouring lanes read neighbouring words: one copy.
ALWAYS_INLINE bool load_is_copy(const Instruction *in, uint32_t mask, Element element,
                                uint32_t count, Reach reach) {
  return element == ELEMENT_U32 && count == 1 && mask == FULL_MASK && !reach.stride &&
         in->dst_bytes != 8 && in->dst[0] != NO_PLACE && address_is_unit_stride(reach.address, 4);
}

ALWAYS_INLINE void load(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask,
                        Space space, Element element) {
  uint32_t count = form_elements(&in->form), bytes = count * element_size(element);
  uint64_t where[WARP_LANES];
  Reach reach;
  address_lanes(warp, in->src[0], in->address_bytes, address_extra(warp, in),
                context->access.address);
  address_fill_idle(context->access.address, mask);
  access_note(context, mask, in->form.space, bytes, false, false);
  if (!memory_reach(context, warp, space, bytes, false, where, &reach)) return;
  if (load_is_copy(in, mask, element, count, reach))
    memcpy(place_at(warp, in->dst[0]), reach_at(reach, 0), 4 * WARP_LANES);
  else
    load_elements(warp, in, mask, element, count, reach);
}

// A kernel's parameters are the same for all lanes and so is, nearly always,
// the address: one read.
ALWAYS_INLINE void load_param(ExecContext *context, Warp *warp, const Instruction *in,
                              uint32_t mask, Element element) {
  const Launch *launch = warp->cta->launch;
  uint64_t address = (uint64_t)in->offset, size_bytes = launch->kernel->param_bytes;
  uint32_t bytes = element_size(element);
  bool is_plain = in->src[0] == NO_PLACE && in->form.vector <= 1 && in->dst[0] != NO_PLACE &&
                  in->address_base == BASE_ABSOLUTE && address < size_bytes &&
                  size_bytes - address >= bytes && !(address & (bytes - 1));
  if (!is_plain) {
    load(context, warp, in, mask, SPACE_PARAM, element);
    return;
  }
  uint64_t bits = element_load(element, launch->params + address);
  access_note(context, mask, SPACE_PARAM, bytes, false, false);
  for (int i = 0; i < WARP_LANES; i++) context->access.address[i] = address;
  void *to = place_at(warp, in->dst[0]);
  if (element == ELEMENT_64 || in->dst_bytes == 8)
    spread_64(to, bits, mask);
  else
    spread_32(to, in->dst_bytes == 2 ? (uint16_t)bits : (uint32_t)bits, mask);
}

#define LOAD(space_name, SPACE, element_name, ELEMENT)                                   \
  static void load_##space_name##_##element_name(ExecContext *context, Warp *warp,       \
                                                 const Instruction *in, uint32_t mask) { \
    if (SPACE == SPACE_PARAM)                                                            \
      load_param(context, warp, in, mask, ELEMENT);                                      \
    else                                                                                 \
      load(context, warp, in, mask, SPACE, ELEMENT);                                     \
  }

#define LOADS(space_name, SPACE)                                                 \
  LOAD(space_name, SPACE, u8, ELEMENT_U8)                                        \
  LOAD(space_name, SPACE, s8, ELEMENT_S8)                                        \
  LOAD(space_name, SPACE, u16, ELEMENT_U16)                                      \
  LOAD(space_name, SPACE, s16, ELEMENT_S16)                                      \
  LOAD(space_name, SPACE, u32, ELEMENT_U32)                                      \
  LOAD(space_name, SPACE, s32, ELEMENT_S32)                                      \
  LOAD(space_name, SPACE, u64, ELEMENT_64)                                       \
  static const ExecFn loads_##space_name[ELEMENT_COUNT] = {                      \
      load_##space_name##_u8,  load_##space_name##_s8,  load_##space_name##_u16, \
      load_##space_name##_s16, load_##space_name##_u32, load_##space_name##_s32, \
      load_##space_name##_u64};

LOADS(global, SPACE_GLOBAL)
LOADS(shared, SPACE_SHARED)
LOADS(local, SPACE_LOCAL)
LOADS(param, SPACE_PARAM)

static Element element_of(DataType type) {
  bool is_signed = type_kind(type) == KIND_SIGNED;
  switch (element_bytes((uint8_t)type)) {
    case 1: return is_signed ? ELEMENT_S8 : ELEMENT_U8;
    case 2: return is_signed ? ELEMENT_S16 : ELEMENT_U16;
    case 4: return is_signed ? ELEMENT_S32 : ELEMENT_U32;
    default: return ELEMENT_64;
  }
}

ExecFn exec_find_load(const Form *form) {
  Element element = element_of(form->type);
  switch (form->space) {
    case SPACE_GENERIC:  // most often all lanes are in one allocation; memory_resolve does the rest
    case SPACE_GLOBAL:
    case SPACE_CONST: return loads_global[element];
    case SPACE_SHARED: return loads_shared[element];
    case SPACE_LOCAL:
    case SPACE_FRAME: return loads_local[element];
    case SPACE_PARAM: return loads_param[element];
    default: return NULL;
  }
}
