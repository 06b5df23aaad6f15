// SPDX-License-Identifier: MIT
// What the warps of a warp group have multiplied, and those that wait for the others.
#include "exec/warp_group.h"

enum { GROUP_WARPS = 4 };

// Whether all warps of the group of warp `index` have executed so many products.
static bool have_multiplied(const Cta *cta, uint32_t index, uint32_t products) {
  uint32_t first = index / GROUP_WARPS * GROUP_WARPS;
  for (uint32_t w = first; w < first + GROUP_WARPS && w < cta->warp_count; w++) {
    const Warp *warp = &cta->warps[w];
    bool is_behind = (int32_t)(warp->group.products - products) < 0;
    if (warp->state != WARP_DONE && is_behind) return false;
  }
  return true;
}

static void release(Cta *cta, uint32_t waiting) {
  CtaBarrier *all = &cta->barriers[GROUP_WAIT];
  for (uint32_t left = all->waiting & waiting; left; left &= left - 1) {
    Warp *warp = &cta->warps[__builtin_ctz(left)];
    if (!have_multiplied(cta, warp->index, warp->group.wanted)) continue;
    all->waiting &= ~(1u << warp->index);
    warp->state = WARP_RUNNING;
    warp->barrier_instruction = NULL;
    cta->has_released = true;
  }
}

void warp_group_multiplied(Warp *warp) {
  Cta *cta = warp->cta;
  warp->group.products++;
  if (cta->barriers[GROUP_WAIT].waiting)
    release(cta, 0xfu << warp->index / GROUP_WARPS * GROUP_WARPS);
}

void warp_group_committed(Warp *warp) {
  GroupProgress *group = &warp->group;
  group->marks[group->commits++ % GROUP_MARKS] = group->products;
}

void warp_group_wait(Warp *warp, const Instruction *in, uint32_t mask, uint32_t left) {
  GroupProgress *group = &warp->group;
  if (left >= GROUP_MARKS) left = GROUP_MARKS - 1;
  if (group->commits <= left) return;
  uint32_t products = group->marks[(group->commits - 1 - left) % GROUP_MARKS];
  if (have_multiplied(warp->cta, warp->index, products)) return;
  group->wanted = products;
  warp->cta->barriers[GROUP_WAIT].waiting |= 1u << warp->index;
  warp->state = WARP_AT_BARRIER;
  warp->barrier_instruction = in;
  warp->barrier_mask = mask;
}

void warp_group_left(Cta *cta) {
  if (cta->barriers[GROUP_WAIT].waiting) release(cta, UINT32_MAX);
}
