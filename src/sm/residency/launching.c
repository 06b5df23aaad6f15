// SPDX-License-Identifier: MIT
// Warps that are stalled while the kernels that they launched are in flight to the grid
// management unit (gpu/kernels/children.c).
#include "sm/sm.h"

// The slot of the warp that has the thread, as a bit; a warp that is held has neither
// exited nor moved to another SM.
static uint64_t launcher(const Sm *sm, const KernelRun *kernel, uint64_t cta, uint32_t thread) {
  for (uint32_t c = 0; c < sm->config->max_ctas; c++) {
    const CtaSlot *slot = &sm->ctas[c];
    if (slot->kernel != kernel || slot->cta.linear != cta) continue;
    for (uint64_t left = slot->slots & sm->resident; left; left &= left - 1)
      if (sm->warps[__builtin_ctzll(left)].warp == &slot->warps[thread / WARP_LANES])
        return left & -left;
  }
  return 0;
}

void sm_hold_launcher(Sm *sm, const KernelRun *kernel, uint64_t cta, uint32_t thread) {
  sm->at_launch |= launcher(sm, kernel, cta, thread);
}

void sm_release_launcher(Sm *sm, const KernelRun *kernel, uint64_t cta, uint32_t thread) {
  sm->at_launch &= ~launcher(sm, kernel, cta, thread);
  *sm->wake = 0;
}
