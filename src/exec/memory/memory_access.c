// SPDX-License-Identifier: MIT
// The careful way to memory: one lane after another, with every check.
#include "exec/memory/memory_access.h"

#include "exec/cluster.h"
#include "exec/memory/stray_access.h"

// Where a lane's access goes once its window is known.
typedef struct Target {
  Space space;       // GENERIC is resolved to what it meant
  uint64_t address;  // within the space
  FaultKind fault;
  uint8_t *host;
} Target;

bool memory_use_allocation(ExecContext *context, uint64_t address) {
  const Allocation *found = device_memory_find(context->memory, address);
  if (found) context->last_allocation = *found;
  return found != NULL;
}

static Space generic_space(uint64_t address) {
  if (address - SHARED_WINDOW < WINDOW_BYTES) return SPACE_SHARED;
  if (address - LOCAL_WINDOW < WINDOW_BYTES) return SPACE_LOCAL;
  if (address - PARAM_WINDOW < WINDOW_BYTES) return SPACE_PARAM;
  return SPACE_GLOBAL;
}

static uint64_t window_base(Space space) {
  switch (space) {
    case SPACE_SHARED: return SHARED_WINDOW;
    case SPACE_LOCAL: return LOCAL_WINDOW;
    case SPACE_PARAM: return PARAM_WINDOW;
    default: return 0;
  }
}

static bool all_in_window(MemoryAccess *access, uint64_t window, uint64_t size_bytes) {
  if (!address_all_inside(access->address, window, size_bytes, access->bytes)) return false;
  for (int i = 0; i < WARP_LANES; i++) access->address[i] -= window;
  return true;
}

// Fast path for generic addresses: all lanes in local or all in shared memory, as compilers
// generate them.
bool memory_reach_window(ExecContext *context, const Warp *warp, Reach *reach) {
  MemoryAccess *access = &context->access;
  if (all_in_window(access, LOCAL_WINDOW, warp->local_bytes)) {
    access->generic_local = access->mask;
    *reach = (Reach){(uintptr_t)warp->local, warp->local_bytes, access->address};
    return true;
  }
  if (all_in_window(access, SHARED_WINDOW, warp->cta->shared_bytes)) {
    access->generic_shared = access->mask;
    *reach = (Reach){.bias = (uintptr_t)warp->cta->shared, .address = access->address};
    return true;
  }
  return false;
}

// The allocation of the last access is tried first: lanes and consecutive accesses mostly share
// one.
static FaultKind find_allocated(ExecContext *context, Target *target, uint32_t bytes, bool write) {
  const Allocation *last = &context->last_allocation;
  uint64_t address = target->address;
  if (address < NULL_BYTES) return FAULT_NULL_POINTER;
  if (address & (bytes - 1)) return FAULT_MISALIGNED;
  if (address - last->address >= last->size_bytes && !memory_use_allocation(context, address)) {
    const Allocation *near = device_memory_nearest(context->memory, address);
    bool was_freed = near && near->freed && address - near->address < near->size_bytes;
    return was_freed ? FAULT_USE_AFTER_FREE : FAULT_OUT_OF_BOUNDS;
  }
  uint64_t offset = address - last->address;
  if (last->size_bytes - offset < bytes) return FAULT_OUT_OF_BOUNDS;
  if (write && last->kind == ALLOCATION_CONSTANT) return FAULT_READ_ONLY;
  target->host = last->host + offset;
  return FAULT_NONE;
}

static bool is_outside(FaultKind fault) {
  return fault == FAULT_OUT_OF_BOUNDS || fault == FAULT_USE_AFTER_FREE;
}

static FaultKind find_global(ExecContext *context, const Warp *warp, int lane, Target *target) {
  const MemoryAccess *access = &context->access;
  FaultKind fault = find_allocated(context, target, access->bytes, access->write);
  StrayAccesses *strays = is_outside(fault) ? device_memory_strays(context->memory) : NULL;
  if (!strays) return fault;
  target->host =
      stray_access(strays, context, warp, lane, target->address, access->bytes, access->write);
  return target->host ? FAULT_NONE : fault;
}

// A block of memory that begins at address 0 of its space.
static FaultKind find_block(Target *target, uint8_t *block, uint64_t size_bytes, uint32_t bytes) {
  if (target->address & (bytes - 1)) return FAULT_MISALIGNED;
  if (target->address >= size_bytes || size_bytes - target->address < bytes)
    return FAULT_OUT_OF_BOUNDS;
  target->host = block + target->address;
  return FAULT_NONE;
}

static FaultKind find_param(const Warp *warp, Target *target, uint32_t bytes, bool write) {
  const Launch *launch = warp->cta->launch;
  if (write) return FAULT_READ_ONLY;
  return find_block(target, (uint8_t *)(uintptr_t)launch->params, launch->kernel->param_bytes,
                    bytes);
}

// The CTA's own, or that of another CTA of its cluster.
static FaultKind find_shared(ExecContext *context, const Warp *warp, int lane, Target *target) {
  uint64_t offset;
  MemoryAccess *access = &context->access;
  Cta *owner = cluster_owner(warp->cta, target->address, &offset);
  bool is_rank = target->address >> CLUSTER_RANK_SHIFT <= MAX_CLUSTER_CTAS;
  if (!owner) return warp->cta->cluster && is_rank ? FAULT_BAD_CLUSTER : FAULT_OUT_OF_BOUNDS;
  if (owner != warp->cta) {
    access->remote |= 1u << lane;
    if (access->write && owner->cluster) owner->cluster->has_changed = true;
  }
  if (offset != target->address) target->address = offset;
  return find_block(target, owner->shared, owner->shared_bytes, access->bytes);
}

// These addresses have 32 bits: of a 64-bit register the GPU reads the lower half,
// so that an index that went below zero as an unsigned number comes back.
static bool is_on_chip(Space space) {
  return space == SPACE_SHARED || space == SPACE_LOCAL || space == SPACE_FRAME;
}

static Target find_target(ExecContext *context, const Warp *warp, int lane) {
  const MemoryAccess *access = &context->access;
  Target target = {.space = access->space, .address = access->address[lane]};
  if (target.space == SPACE_GENERIC) {
    target.space = generic_space(target.address);
    target.address -= window_base(target.space);
  } else if (is_on_chip(target.space)) {
    target.address = (uint32_t)target.address;
  }
  switch (target.space) {
    case SPACE_SHARED: target.fault = find_shared(context, warp, lane, &target); break;
    case SPACE_LOCAL:
    case SPACE_FRAME:
      target.fault = find_block(&target, warp->local + (size_t)lane * warp->local_bytes,
                                warp->local_bytes, access->bytes);
      break;
    case SPACE_PARAM: target.fault = find_param(warp, &target, access->bytes, access->write); break;
    default: target.fault = find_global(context, warp, lane, &target); break;
  }
  return target;
}

bool memory_resolve(ExecContext *context, const Warp *warp, uint64_t where[WARP_LANES]) {
  MemoryAccess *access = &context->access;
  bool is_generic = access->space == SPACE_GENERIC;
  for (uint32_t left = access->mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    Target target = find_target(context, warp, lane);
    if (target.fault) {
      fault_raise_access(context, warp, target.fault, lane, target.space, target.address,
                         access->bytes, access->write);
      access->mask = 0;
      return false;
    }
    where[lane] = (uintptr_t)target.host;
    if (is_on_chip(access->space)) access->address[lane] = target.address;
    // Lanes in the parameter window keep their generic address: the access has
    // no mask for them, and no variable or heap address looks like theirs.
    if (!is_generic || target.space == SPACE_PARAM) continue;
    access->address[lane] = target.address;
    if (target.space == SPACE_SHARED) access->generic_shared |= 1u << lane;
    if (target.space == SPACE_LOCAL) access->generic_local |= 1u << lane;
  }
  // Inactive lanes get a valid address, so that vectorised copies may touch all 32.
  uint64_t stand_in = where[__builtin_ctz(access->mask)];
  for (int i = 0; i < WARP_LANES; i++)
    if (!(access->mask >> i & 1)) where[i] = stand_in;
  return true;
}

uint8_t *memory_generic_span(const ExecContext *context, const Warp *warp, int lane,
                             uint64_t address, uint64_t *left_bytes) {
  const Launch *launch = warp->cta->launch;
  Space space = generic_space(address);
  uint64_t offset = address - window_base(space), size_bytes = 0;
  uint8_t *block = NULL;
  if (space == SPACE_SHARED) {
    const Cta *owner = cluster_owner(warp->cta, offset, &offset);
    block = owner ? owner->shared : NULL;
    size_bytes = owner ? owner->shared_bytes : 0;
  } else if (space == SPACE_LOCAL) {
    block = warp->local + (size_t)lane * warp->local_bytes;
    size_bytes = warp->local_bytes;
  } else if (space == SPACE_PARAM) {
    block = (uint8_t *)(uintptr_t)launch->params;
    size_bytes = launch->kernel->param_bytes;
  } else {
    const Allocation *found = device_memory_find(context->memory, address);
    if (!found) return NULL;
    block = found->host;
    size_bytes = found->size_bytes;
    offset = address - found->address;
  }
  if (offset >= size_bytes) return NULL;
  *left_bytes = size_bytes - offset;
  return block + offset;
}

bool exec_read_generic(const ExecContext *context, const Warp *warp, int lane, uint64_t address,
                       void *buffer, uint64_t bytes) {
  uint64_t left_bytes;
  const uint8_t *from = memory_generic_span(context, warp, lane, address, &left_bytes);
  if (!from || left_bytes < bytes) return false;
  memcpy(buffer, from, bytes);
  return true;
}
