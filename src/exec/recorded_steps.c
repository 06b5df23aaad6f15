// SPDX-License-Identifier: MIT
// Lists of recorded steps.
#include "exec/recorded_steps.h"

#include "base/memory.h"

bool step_is_barrier(const Instruction *in) {
  return in->form.op == OP_BAR || in->form.op == OP_BARRIER;
}

static bool is_regular(const MemoryAccess *access, uint64_t *first, uint64_t *stride) {
  uint32_t mask = access->mask, lowest = (uint32_t)__builtin_ctz(mask);
  uint32_t rest = mask & (mask - 1);
  uint32_t second = rest ? (uint32_t)__builtin_ctz(rest) : lowest;
  uint64_t gap = access->address[second] - access->address[lowest];
  if (second != lowest && gap % (second - lowest)) return false;
  *stride = second == lowest ? 0 : gap / (second - lowest);
  *first = access->address[lowest] - *stride * lowest;
  for (; rest; rest &= rest - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(rest);
    if (access->address[lane] != *first + *stride * lane) return false;
  }
  return true;
}

uint32_t recorded_add_access(WarpSteps *warp, const MemoryAccess *access) {
  GROW(warp->accesses, warp->access_count, warp->access_capacity);
  RecordedAccess *made = &warp->accesses[warp->access_count++];
  *made = (RecordedAccess){.mask = access->mask,
                           .generic_shared = access->generic_shared,
                           .generic_local = access->generic_local,
                           .space = access->space,
                           .bytes = access->bytes,
                           .write = access->write,
                           .atomic = access->atomic};
  if (!is_regular(access, &made->first, &made->stride)) {
    made->lanes = memory_alloc(sizeof *made->lanes);
    *made->lanes = *access;
  }
  return warp->access_count;
}

void recorded_read_access(const RecordedAccess *access, MemoryAccess *out) {
  if (access->lanes) {
    *out = *access->lanes;
    return;
  }
  *out = (MemoryAccess){.mask = access->mask,
                        .generic_shared = access->generic_shared,
                        .generic_local = access->generic_local,
                        .space = access->space,
                        .bytes = access->bytes,
                        .write = access->write,
                        .atomic = access->atomic};
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    out->address[lane] = access->first + access->stride * lane;
}

void recorded_add(WarpSteps *warp, Step step) {
  GROW(warp->steps, warp->count, warp->capacity);
  warp->steps[warp->count++] = step;
}

void recorded_clear(WarpSteps *warp) {
  for (uint32_t i = 0; i < warp->access_count; i++) memory_free(warp->accesses[i].lanes);
  memory_free(warp->accesses);
  memory_free(warp->steps);
}

void recorded_copy(WarpSteps *to, const WarpSteps *from, const Step *step) {
  MemoryAccess access;
  Step copy = *step;
  if (step->access) {
    recorded_read_access(&from->accesses[step->access - 1], &access);
    copy.access = recorded_add_access(to, &access);
  }
  recorded_add(to, copy);
}

void recorded_cta_replace(RecordedCta *recorded, WarpSteps *made) {
  for (uint32_t w = 0; w < recorded->warp_count; w++) recorded_clear(&recorded->warps[w]);
  memory_free(recorded->warps);
  recorded->warps = made;
}
