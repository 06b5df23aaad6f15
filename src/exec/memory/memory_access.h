// SPDX-License-Identifier: MIT
// From an instruction's address operand to host memory: common part of loads, stores and
// atomics. Private to the execution of memory instructions.
//
// Addresses of all 32 lanes are computed irrespective of the mask; inactive lanes then
// take the address of the lowest active lane. Every check and every read can thus treat
// all lanes alike, and the loops have no branches.
//
// A Reach gives the location of lane i: bias + address[i] + i * stride. A global access
// inside one allocation, a shared and a local one differ only in these numbers.
#ifndef EXEC_MEMORY_MEMORY_ACCESS_H
#define EXEC_MEMORY_MEMORY_ACCESS_H

#include <string.h>

#include "exec/execute.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

// Below this address a pointer is as good as null.
#define NULL_BYTES 0x10000u

typedef struct Reach {
  uint64_t bias;            // integer arithmetic on host addresses may wrap
  uint64_t stride;          // bytes from a lane's memory to the next one's
  const uint64_t *address;  // of each lane
} Reach;

static inline uint8_t *reach_at(Reach reach, int lane) {
  return (uint8_t *)(uintptr_t)(reach.bias + reach.address[lane] + (uint64_t)lane * reach.stride);
}

// Bytes of a memory element; 0 where memory instructions do not take the type.
static inline uint32_t element_bytes(uint8_t type) {
  switch (type) {
    case TYPE_B8:
    case TYPE_U8:
    case TYPE_S8: return 1;
    case TYPE_B16:
    case TYPE_U16:
    case TYPE_S16:
    case TYPE_F16:
    case TYPE_BF16: return 2;
    case TYPE_B32:
    case TYPE_U32:
    case TYPE_S32:
    case TYPE_F32:
    case TYPE_F16X2:
    case TYPE_BF16X2: return 4;
    case TYPE_B64:
    case TYPE_U64:
    case TYPE_S64:
    case TYPE_F64: return 8;
    default: return 0;
  }
}

// The registers of a vector: of eight elements they are in the list.
static inline const Place *vector_destinations(const Instruction *in) {
  return in->list ? in->list->dst : in->dst;
}
static inline const Place *vector_sources(const Instruction *in) {
  return in->list ? in->list->src : in->src + 1;
}

static inline uint32_t form_elements(const Form *form) {
  return form->vector ? form->vector : 1;
}

// Offset added to every lane's base register.
static inline uint64_t address_extra(const Warp *warp, const Instruction *in) {
  uint64_t extra = (uint64_t)in->offset;
  if (in->address_base == BASE_FRAME)
    extra += warp_top(warp)->local_frame;
  else if (in->address_base == BASE_DYNAMIC_SHARED)
    extra += warp->cta->launch->kernel->static_shared_bytes;
  return extra;
}

// A lane of a register of 32 bits, or what counts where there is none.
static inline uint32_t lane_u32(const Warp *warp, Place place, int lane, uint32_t otherwise) {
  return place == NO_PLACE ? otherwise : ((const uint32_t *)place_at(warp, place))[lane];
}

// Adds up all lanes' addresses. Sums on 32-bit registers wrap to 32 bits.
ALWAYS_INLINE void address_lanes(const Warp *warp, Place base, uint32_t base_bytes, uint64_t extra,
                                 uint64_t *restrict address) {
  if (base == NO_PLACE) {
    for (int i = 0; i < WARP_LANES; i++) address[i] = extra;
  } else if (base_bytes == 4) {
    const uint32_t *lanes = place_at(warp, base);
    for (int i = 0; i < WARP_LANES; i++) address[i] = (uint32_t)(lanes[i] + (uint32_t)extra);
  } else {
    const uint64_t *lanes = place_at(warp, base);
    for (int i = 0; i < WARP_LANES; i++) address[i] = lanes[i] + extra;
  }
}

// Gives lanes outside the mask an address that is as good as any inside.
ALWAYS_INLINE void address_fill_idle(uint64_t *restrict address, uint32_t mask) {
  if (mask == FULL_MASK) return;
  uint64_t stand_in = address[__builtin_ctz(mask)];
  for (int i = 0; i < WARP_LANES; i++) address[i] = mask >> i & 1 ? address[i] : stand_in;
}

// Whether every lane is aligned and inside [base, base + size_bytes). Works on
// sign bits: neither the way from base nor that to the limit may be negative.
ALWAYS_INLINE bool address_all_inside(const uint64_t *address, uint64_t base, uint64_t size_bytes,
                                      uint32_t bytes) {
  if (size_bytes < bytes) return false;
  uint64_t limit = size_bytes - bytes, outside = 0, low = 0;
  for (int i = 0; i < WARP_LANES; i++) {
    uint64_t offset = address[i] - base;
    outside |= offset | (limit - offset);
    low |= address[i];
  }
  return !(outside >> 63) && !(low & (bytes - 1));
}

// Whether the address of lane i is that of lane 0 plus i * bytes.
ALWAYS_INLINE bool address_is_unit_stride(const uint64_t *address, uint32_t bytes) {
  uint64_t difference = 0;
  for (uint32_t i = 0; i < WARP_LANES; i++)
    difference |= (address[i] - address[0]) ^ (uint64_t)(i * bytes);
  return difference == 0;
}

// Records the access in the context, which already holds the addresses.
ALWAYS_INLINE void access_note(ExecContext *context, uint32_t mask, Space space, uint32_t bytes,
                               bool write, bool atomic) {
  MemoryAccess *access = &context->access;
  access->mask = mask;
  access->generic_shared = access->generic_local = access->remote = 0;
  access->space = (uint8_t)space;
  access->bytes = (uint8_t)bytes;
  access->write = write;
  access->atomic = atomic;
}

// One lane after another, for lanes in several allocations or spaces, and to
// name the fault of the lowest lane that has one. context->access is filled
// in and holds the addresses; generic ones are taken out of their windows. On
// true, where[] holds the host address of every lane of the mask, and of the
// others a readable one.
bool memory_resolve(ExecContext *context, const Warp *warp, uint64_t where[WARP_LANES]);

// Makes the allocation that holds address the context's last; false if none does.
bool memory_use_allocation(ExecContext *context, uint64_t address);

// The host memory of a generic address of one thread, and the number of contiguous bytes;
// NULL if unmapped.
uint8_t *memory_generic_span(const ExecContext *context, const Warp *warp, int lane,
                             uint64_t address, uint64_t *left_bytes);
// Copies bytes from a generic address of one thread; false if not all can be read.
bool exec_read_generic(const ExecContext *context, const Warp *warp, int lane, uint64_t address,
                       void *buffer, uint64_t bytes);

// Generic addresses that are all in shared or all in local memory; false if
// they are not, or not all in bounds.
bool memory_reach_window(ExecContext *context, const Warp *warp, Reach *reach);

// Whether all lanes (their addresses are in context->access) are inside the
// allocation of the context, or else that of the first lane.
ALWAYS_INLINE bool global_reach(ExecContext *context, uint32_t bytes, bool write, Reach *reach) {
  const uint64_t *address = context->access.address;
  const Allocation *last = &context->last_allocation;
  if (!address_all_inside(address, last->address, last->size_bytes, bytes)) {
    if (!memory_use_allocation(context, address[0])) return false;
    if (!address_all_inside(address, last->address, last->size_bytes, bytes)) return false;
  }
  if (write && last->kind == ALLOCATION_CONSTANT) return false;
  *reach = (Reach){.bias = (uintptr_t)last->host - last->address, .address = address};
  return true;
}

// Finds the memory of an access to a space that is known when this is
// compiled. where[] is only used if the lanes have nothing in common.
ALWAYS_INLINE bool memory_reach(ExecContext *context, const Warp *warp, Space space, uint32_t bytes,
                                bool write, uint64_t where[WARP_LANES], Reach *reach) {
  const uint64_t *address = context->access.address;
  bool is_found = false;
  if (space == SPACE_SHARED) {
    *reach = (Reach){.bias = (uintptr_t)warp->cta->shared, .address = address};
    is_found = address_all_inside(address, 0, warp->cta->shared_bytes, bytes);
  } else if (space == SPACE_LOCAL || space == SPACE_FRAME) {
    *reach = (Reach){(uintptr_t)warp->local, warp->local_bytes, address};
    is_found = address_all_inside(address, 0, warp->local_bytes, bytes);
  } else if (space != SPACE_PARAM) {
    is_found =
        global_reach(context, bytes, write, reach) ||
        (context->access.space == SPACE_GENERIC && memory_reach_window(context, warp, reach));
  }
  if (is_found) return true;
  *reach = (Reach){.address = where};
  return memory_resolve(context, warp, where);
}

#endif
