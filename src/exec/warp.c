// SPDX-License-Identifier: MIT
// The SIMT stack (Fung et al., MICRO 2007): an entry is a set of lanes with a common pc, and
// the pc at which it meets the entry below. Only the top entry executes. Calls push entries,
// too, so that divergence inside a function ends there.
#include "exec/warp.h"

#include <string.h>

#include "base/memory.h"
#include "exec/barrier.h"
#include "exec/replay.h"

enum { REGISTER_ALIGNMENT = 64, FIRST_STACK_ENTRIES = 16 };

// Zeroed for every CTA, and cleared only once: all warps together have megabytes.
static void start_registers(Warp *warp, uint32_t bytes) {
  if (warp->registers_bytes < bytes) {
    memory_free(warp->registers);
    warp->registers = memory_alloc_raw(bytes, REGISTER_ALIGNMENT);
    warp->registers_bytes = bytes;
  }
  memset(warp->registers, 0, bytes);
}

static void grow_registers(Warp *warp, uint32_t bytes) {
  uint8_t *grown = memory_alloc_aligned(bytes, REGISTER_ALIGNMENT);
  if (warp->registers_bytes) memcpy(grown, warp->registers, warp->registers_bytes);
  memory_free(warp->registers);
  warp->registers = grown;
  warp->registers_bytes = bytes;
}

// Zeroed for every CTA: a program that reads uninitialised local memory gives the same result
// in every run.
static void reserve_local(Warp *warp, uint32_t bytes_per_lane) {
  size_t bytes = (size_t)bytes_per_lane * WARP_LANES;
  if (warp->local && warp->local_bytes == bytes_per_lane) {
    memset(warp->local, 0, bytes);
    return;
  }
  memory_free(warp->local);
  warp->local = memory_alloc(bytes + 1);  // a place for them also where there are none
  warp->local_bytes = bytes_per_lane;
}

// ---- what alloca takes

// Allocation of a lane before a function allocated more.
typedef struct TakenRecord {
  uint32_t lane, depth, before;
} TakenRecord;

typedef struct TakenStack {
  uint32_t bytes[WARP_LANES];
  TakenRecord *records;
  uint32_t count, capacity;
} TakenStack;

static void forget_taken(TakenStack *taken) {
  memset(taken->bytes, 0, sizeof taken->bytes);
  taken->count = 0;
}

// Lanes return from a function: the newest records are of those that called last.
// Lanes of one call may return at different times, so records cannot simply be popped.
static void return_taken(TakenStack *taken, uint32_t depth, uint32_t mask) {
  uint32_t kept = taken->count;
  for (uint32_t i = taken->count; i-- > 0;) {
    TakenRecord record = taken->records[i];
    if (record.depth < depth || !(mask >> record.lane & 1)) continue;
    taken->bytes[record.lane] = record.before;
    memmove(&taken->records[i], &taken->records[i + 1], (--kept - i) * sizeof record);
  }
  taken->count = kept;
}

// alloca grows down from the end of local memory, frames grow up from its start: neither needs
// to know the other's size in advance.
bool warp_take(Warp *warp, int lane, uint64_t bytes, uint64_t alignment, uint32_t *address) {
  const SimtEntry *top = warp_top(warp);
  uint64_t bottom = (uint64_t)top->local_frame + top->function->local_bytes;
  if (!warp->taken) warp->taken = memory_alloc(sizeof *warp->taken);
  TakenStack *taken = warp->taken;
  uint64_t end = warp->local_bytes - taken->bytes[lane];
  if (!alignment || alignment & (alignment - 1) || bytes > end) return false;
  uint64_t begin = (end - bytes) & ~(alignment - 1);
  if (begin < bottom) return false;
  GROW(taken->records, taken->count, taken->capacity);
  taken->records[taken->count++] = (TakenRecord){(uint32_t)lane, top->depth, taken->bytes[lane]};
  taken->bytes[lane] = warp->local_bytes - (uint32_t)begin;
  *address = (uint32_t)begin;
  return true;
}

uint32_t warp_taken(const Warp *warp, uint32_t mask) {
  uint32_t most = 0;
  for (uint32_t left = warp->taken ? mask : 0; left; left &= left - 1) {
    uint32_t bytes = warp->taken->bytes[__builtin_ctz(left)];
    if (bytes > most) most = bytes;
  }
  return most;
}

void warp_give_back(Warp *warp, int lane, uint64_t bytes) {
  if (warp->taken && bytes < warp->taken->bytes[lane]) warp->taken->bytes[lane] = (uint32_t)bytes;
}

// ---- beginning and end

static uint32_t lanes_of(const Launch *launch, uint32_t warp_index) {
  uint32_t left = launch_threads_per_cta(launch) - warp_index * WARP_LANES;
  return left >= WARP_LANES ? FULL_MASK : (1u << left) - 1;
}

static uint64_t preload_value(const Launch *launch, const Preload *preload) {
  SpecialRegister special = (SpecialRegister)preload->special;
  if (special >= SPECIAL_NTID_X && special <= SPECIAL_NTID_Z)
    return launch->block[special - SPECIAL_NTID_X];
  if (special >= SPECIAL_NCTAID_X && special <= SPECIAL_NCTAID_Z)
    return launch->grid[special - SPECIAL_NCTAID_X];
  uint64_t value = 0;
  memcpy(&value, launch->params + preload->offset, preload->size_bytes);
  return value;
}

// Loops of their own for the sizes of registers: a few stores of the host each.
static void fill_lanes(uint8_t *lanes, uint64_t value, uint32_t size_bytes) {
  uint32_t word = (uint32_t)value;
  if (size_bytes == sizeof word)
    for (size_t lane = 0; lane < WARP_LANES; lane++)
      memcpy(lanes + lane * sizeof word, &word, sizeof word);
  else if (size_bytes == sizeof value)
    for (size_t lane = 0; lane < WARP_LANES; lane++)
      memcpy(lanes + lane * sizeof value, &value, sizeof value);
  else
    for (size_t lane = 0; lane < WARP_LANES; lane++)
      memcpy(lanes + lane * size_bytes, &value, size_bytes);
}

static void preload_registers(Warp *warp, const Launch *launch) {
  const Function *kernel = launch->kernel;
  for (uint32_t i = 0; i < kernel->preload_count; i++) {
    const Preload *preload = &kernel->preloads[i];
    uint64_t value = preload_value(launch, preload);
    fill_lanes(warp->registers + preload->place, value, preload->size_bytes);
  }
}

void warp_start(Warp *warp, Cta *cta, uint32_t index, uint32_t hardware_id) {
  const Launch *launch = cta->launch;
  const Function *kernel = launch->kernel;
  if (!launch->replay) {
    // Also a kernel without registers has a place for them.
    start_registers(warp, kernel->frame_bytes + REGISTER_ALIGNMENT);
    preload_registers(warp, launch);
    reserve_local(warp, launch->local_bytes);
  }
  if (!warp->stack_capacity) {
    warp->stack_capacity = FIRST_STACK_ENTRIES;
    warp->stack = memory_alloc(sizeof *warp->stack * FIRST_STACK_ENTRIES);
  }
  uint32_t lanes = lanes_of(launch, index);
  warp->stack[0] = (SimtEntry){
      .pc = kernel->entry, .reconverge = NO_RECONVERGENCE, .mask = lanes, .function = kernel};
  warp->stack_depth = 1;
  warp->base[1] = launch->program->pool;
  warp->code = launch->program->code;
  warp->carry = 0;
  warp->state = WARP_RUNNING;
  warp->exited = ~lanes;
  warp->index = index;
  warp->hardware_id = hardware_id;
  warp->cta = cta;
  warp->barrier_instruction = NULL;
  warp->group = (GroupProgress){0};
  warp->registers_held = kernel->moves_registers ? kernel->registers : 0;
  if (warp->taken) forget_taken(warp->taken);
  warp->instructions = warp->thread_instructions = 0;
  warp_use_frame(warp);
  if (launch->replay)
    replay_start(warp, launch->replay);
  else
    replay_end(warp);
}

void warp_clear(Warp *warp) {
  replay_end(warp);
  memory_free(warp->registers);
  memory_free(warp->local);
  memory_free(warp->stack);
  if (warp->taken) memory_free(warp->taken->records);
  memory_free(warp->taken);
  *warp = (Warp){0};
}

SimtEntry *warp_push(Warp *warp) {
  GROW(warp->stack, warp->stack_depth, warp->stack_capacity);
  return &warp->stack[warp->stack_depth++];
}

// Several entries may be popped: a path that reaches its reconvergence point may uncover one that
// is already there.
void warp_settle(Warp *warp) {
  while (warp->stack_depth > 0) {
    const SimtEntry *top = warp_top(warp);
    if (top->mask && top->pc != top->reconverge) break;
    warp->stack_depth--;
  }
  if (warp->stack_depth) warp_use_frame(warp);
}

void warp_diverge(Warp *warp, const WarpPath *paths, uint32_t path_count, uint32_t reconverge) {
  SimtEntry *below = warp_top(warp);
  // Paths that do not meet in this function still end where their parent does.
  if (reconverge == NO_RECONVERGENCE) reconverge = below->reconverge;
  SimtEntry path = *below;
  path.reconverge = reconverge;
  path.site = NULL;
  // The diverged entry waits at the reconvergence point. If that is also the one of the
  // entry below, or if there is none, it is not needed: loops then do not grow the stack.
  // An entry that started a call stays, because it holds the return address.
  bool is_needed = below->site || reconverge != below->reconverge;
  if (is_needed)
    below->pc = reconverge;
  else
    warp->stack_depth--;
  for (uint32_t i = 0; i < path_count; i++) {
    if (paths[i].pc == reconverge) continue;  // is there already
    path.pc = paths[i].pc;
    path.mask = paths[i].mask;
    *warp_push(warp) = path;
  }
  warp_settle(warp);
}

// The entry of the present call that waits at pc, or the top if none does.
static uint32_t entry_at(const Warp *warp, uint32_t pc) {
  uint32_t top = warp->stack_depth - 1, mask = warp->stack[top].mask;
  for (uint32_t i = top; i > 0 && !warp->stack[i].site; i--)
    if (warp->stack[i - 1].pc == pc && !(mask & ~warp->stack[i - 1].mask)) return i - 1;
  return top;
}

// In a loop they wait there since the first turn.
void warp_diverge_inside(Warp *warp, const WarpPath *paths, uint32_t path_count,
                         uint32_t reconverge, uint32_t outer) {
  if (entry_at(warp, outer) == warp->stack_depth - 1) {
    WarpPath all = {reconverge, warp_top(warp)->mask};
    warp_diverge(warp, &all, 1, outer);
  }
  warp_diverge(warp, paths, path_count, reconverge);
}

bool warp_break(Warp *warp, uint32_t mask, uint32_t target) {
  uint32_t top = warp->stack_depth - 1, waiting = entry_at(warp, target);
  if (waiting == top || warp->stack[top].reconverge == target) return false;
  for (uint32_t i = waiting + 1; i <= top; i++) warp->stack[i].mask &= ~mask;
  warp_settle(warp);
  return true;
}

void warp_enter(Warp *warp, uint32_t caller_index, const Function *callee, const CallSite *site,
                uint32_t mask) {
  SimtEntry caller = warp->stack[caller_index];
  // Behind the caller's registers, or those of another function that other
  // lanes of the same call enter.
  const SimtEntry *top = warp_top(warp);
  SimtEntry entry = {
      .pc = callee->entry,
      .reconverge = NO_RECONVERGENCE,
      .mask = mask,
      .depth = caller.depth + 1,
      .frame = top->frame + top->function->frame_bytes,
      .local_frame = caller.local_frame + caller.function->local_bytes + CALL_STACK_BYTES,
      .function = callee,
      .site = site,
      .caller_frame = caller.frame,
      .caller_local_frame = caller.local_frame,
  };
  // Doubling keeps deep recursion linear.
  uint32_t needed = entry.frame + callee->frame_bytes;
  if (needed > warp->registers_bytes) grow_registers(warp, needed * 2);
  *warp_push(warp) = entry;
  warp_use_frame(warp);
}

void warp_leave(Warp *warp, uint32_t mask) {
  uint32_t depth = warp_top(warp)->depth;
  if (warp->taken) return_taken(warp->taken, depth, mask);
  for (uint32_t i = warp->stack_depth; i-- > 0 && warp->stack[i].depth == depth;) {
    warp->stack[i].mask &= ~mask;
    if (warp->stack[i].site) break;
  }
  warp_settle(warp);
}

// Out of every entry: lanes that exit must not be waited for at any reconvergence point.
void warp_exit(Warp *warp, uint32_t mask) {
  for (uint32_t i = 0; i < warp->stack_depth; i++) warp->stack[i].mask &= ~mask;
  warp->exited |= mask;
  warp_settle(warp);
  if (warp->stack_depth) return;
  warp->state = WARP_DONE;
  cta_warp_ended(warp->cta);
}
