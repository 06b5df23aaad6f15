// SPDX-License-Identifier: MIT
// Warps without divergence: each executes what one of its lanes does.
#include "base/memory.h"
#include "exec/recorded_steps.h"

// A step whose access has lanes to spare.
typedef struct Host {
  Step *step;
  uint32_t room;
} Host;

// Of one instruction.
typedef struct Hosts {
  Host *items;
  uint32_t count, capacity;
  uint32_t first;  // that has room
} Hosts;

// An access that a host makes, too.
typedef struct Guest {
  const RecordedAccess *access;
  uint32_t next;  // of the same host: index + 1; 0: none
} Guest;

typedef struct Regrouping {
  RecordedCta *recorded;
  const Program *program;
  uint64_t first_warp;  // its number in the grid
  Hosts *hosts;         // by pc
  Guest *guests;
  uint32_t guest_count, guest_capacity;
} Regrouping;

// Steps of at most three quarters of the lanes: where more take part there is little to gain, and
// no other warp has room for their accesses. Barriers have all lanes to wait for. Atomics wait for
// each other rather than for their warp. The last step ends the warp.
static bool is_regrouped(const Regrouping *regrouping, const WarpSteps *warp, const Step *step) {
  const Instruction *in = &regrouping->program->code[step->pc];
  int active = __builtin_popcount(step->mask), live = __builtin_popcount(step->live);
  bool is_partial = active && 4 * active <= 3 * live;
  return is_partial && step + 1 < warp->steps + warp->count && !step_is_barrier(in) &&
         in->form.op != OP_ATOM && in->form.op != OP_RED;
}

// Whether the lane that the warp follows takes part. Warps follow different ones: multiples of the
// golden ratio are spread evenly over the lanes.
static bool follows(const Regrouping *regrouping, uint32_t w, const Step *step) {
  uint32_t part = (uint32_t)(regrouping->first_warp + w) * 2654435769u;
  uint32_t rank = (uint32_t)((uint64_t)part * (uint32_t)__builtin_popcount(step->live) >> 32);
  uint32_t live = step->live;
  for (; rank; rank--) live &= live - 1;
  return step->mask & live & (0 - live);
}

static uint32_t lanes_of(const WarpSteps *warp, const Step *step) {
  return (uint32_t)__builtin_popcount(warp->accesses[step->access - 1].mask);
}

static void add_host(Regrouping *regrouping, const WarpSteps *warp, Step *step) {
  Hosts *hosts = &regrouping->hosts[step->pc];
  GROW(hosts->items, hosts->count, hosts->capacity);
  hosts->items[hosts->count++] =
      (Host){step, (uint32_t)__builtin_popcount(step->live) - lanes_of(warp, step)};
}

// False: none of the next hosts has room for all its lanes.
static bool find_host(Regrouping *regrouping, const WarpSteps *warp, const Step *step) {
  enum { MOST_TRIES = 32 };
  Hosts *hosts = &regrouping->hosts[step->pc];
  uint32_t lanes = lanes_of(warp, step);
  while (hosts->first < hosts->count && !hosts->items[hosts->first].room) hosts->first++;
  for (uint32_t i = hosts->first; i < hosts->count && i < hosts->first + MOST_TRIES; i++) {
    Host *host = &hosts->items[i];
    if (host->room < lanes) continue;
    host->room -= lanes;
    GROW(regrouping->guests, regrouping->guest_count, regrouping->guest_capacity);
    regrouping->guests[regrouping->guest_count++] =
        (Guest){&warp->accesses[step->access - 1], host->step->guests};
    host->step->guests = regrouping->guest_count;
    return true;
  }
  return false;
}

// Accesses that no other warp of the CTA has room for remain where they are.
static void survey(Regrouping *regrouping, bool is_first) {
  for (uint32_t w = 0; w < regrouping->recorded->warp_count; w++) {
    WarpSteps *warp = &regrouping->recorded->warps[w];
    for (Step *step = warp->steps; step < warp->steps + warp->count; step++) {
      if (!is_regrouped(regrouping, warp, step)) continue;
      bool is_followed = follows(regrouping, w, step);
      if (is_first && is_followed && step->access) add_host(regrouping, warp, step);
      if (!is_first && !is_followed)
        step->is_left_out = !step->access || find_host(regrouping, warp, step);
    }
  }
}

// Into lanes that are free.
static void add_guest(MemoryAccess *access, uint32_t live, const RecordedAccess *guest) {
  MemoryAccess more;
  recorded_read_access(guest, &more);
  uint32_t room = live & ~access->mask;
  for (uint32_t left = more.mask; left && room; left &= left - 1, room &= room - 1) {
    uint32_t from = (uint32_t)__builtin_ctz(left), to = (uint32_t)__builtin_ctz(room);
    access->address[to] = more.address[from];
    access->mask |= 1u << to;
    access->generic_shared |= (more.generic_shared >> from & 1) << to;
    access->generic_local |= (more.generic_local >> from & 1) << to;
  }
}

static void copy_with_guests(WarpSteps *to, const WarpSteps *from, const Step *step,
                             const Guest *guests) {
  MemoryAccess access;
  Step copy = *step;
  copy.guests = 0;
  if (step->access) {
    recorded_read_access(&from->accesses[step->access - 1], &access);
    for (uint32_t g = step->guests; g; g = guests[g - 1].next)
      add_guest(&access, step->live, guests[g - 1].access);
    copy.mask |= access.mask;
    copy.access = recorded_add_access(to, &access);
  }
  recorded_add(to, copy);
}

static WarpSteps regroup_warp(const Regrouping *regrouping, const WarpSteps *warp) {
  WarpSteps made = {0};
  bool has_gap = false;
  for (const Step *step = warp->steps; step < warp->steps + warp->count; step++) {
    if (!step->is_left_out) {
      copy_with_guests(&made, warp, step, regrouping->guests);
      made.steps[made.count - 1].is_after_gap = has_gap;
    }
    has_gap = step->is_left_out;
  }
  return made;
}

void recorded_cta_regroup(RecordedCta *recorded, const Cta *cta) {
  const Program *program = cta->launch->program;
  Regrouping regrouping = {.recorded = recorded,
                           .program = program,
                           .first_warp = cta->linear * recorded->warp_count,
                           .hosts = memory_alloc(sizeof(Hosts) * (program->code_count + 1))};
  WarpSteps *made = memory_alloc(sizeof *made * recorded->warp_count);
  survey(&regrouping, true);
  survey(&regrouping, false);
  for (uint32_t w = 0; w < recorded->warp_count; w++)
    made[w] = regroup_warp(&regrouping, &recorded->warps[w]);
  recorded_cta_replace(recorded, made);
  for (uint32_t pc = 0; pc < program->code_count; pc++) memory_free(regrouping.hosts[pc].items);
  memory_free(regrouping.hosts);
  memory_free(regrouping.guests);
}
