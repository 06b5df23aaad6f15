// SPDX-License-Identifier: MIT
// Observers of a functional run.
#include "observers/attach/untimed_observers.h"

#include "exec/cta.h"

enum { SECTOR_BYTES = 32, EVENTS_AT_ONCE = 4096 };

void untimed_observers_start(UntimedObservers *untimed, const Launch *launch, uint32_t sm_count) {
  KernelView view = {.id = (uint32_t)launch->grid_id,
                     .launch = launch,
                     .cta_count = launch_cta_count(launch),
                     .ctas_waiting = launch_cta_count(launch),
                     .warps_per_cta = launch_warps_per_cta(launch),
                     .sm_count = sm_count};
  observers_deliver(&untimed->observers);  // events of kernels before it
  observers_start_kernel(&untimed->observers, &view);
}

static uint8_t kind_of(const MemoryAccess *access) {
  if (access->atomic) return ACCESS_ATOMIC;
  return access->write ? ACCESS_STORE : ACCESS_LOAD;
}

// Lanes whose address is in global memory.
static uint32_t global_lanes(const MemoryAccess *access) {
  if (access->space == SPACE_GLOBAL) return access->mask;
  if (access->space != SPACE_GENERIC) return 0;
  return access->mask & ~(access->generic_shared | access->generic_local);
}

// Lanes side by side mostly share a sector. Others may come twice: an observer counts the lines
// of an instruction once, in however many transactions.
void untimed_observers_access(UntimedObservers *untimed, const Warp *warp,
                              const MemoryAccess *access) {
  EventBuffer *buffer = &untimed->observers.buffers[0];
  const Cta *cta = warp->cta;
  const LaunchOrigin *origin = &cta->launch->origin;
  uint64_t last = UINT64_MAX;
  uint32_t lanes = global_lanes(access);
  if (!lanes) return;
  MemEvent event = {
      .requester = {.cta = cta->linear,
                    .parent_cta = origin->parent_cta,
                    .kernel = (uint32_t)cta->launch->grid_id,
                    .parent = origin->has_parent ? origin->parent : REQUESTER_NO_PARENT,
                    .warp_in_cta = (uint8_t)(warp - cta->warps)},
      .order = ++untimed->instructions,
      .bytes = SECTOR_BYTES,
      .kind = EVENT_ACCESS,
      .space = SPACE_GLOBAL,
      .access = kind_of(access),
      .outcome = OUTCOME_BYPASS};
  for (; lanes; lanes &= lanes - 1) {
    event.address = access->address[__builtin_ctz(lanes)] & ~(uint64_t)(SECTOR_BYTES - 1);
    if (event.address != last) *event_next(buffer) = event;
    last = event.address;
  }
  if (buffer->count >= EVENTS_AT_ONCE) observers_deliver(&untimed->observers);
}
