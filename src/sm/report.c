// SPDX-License-Identifier: MIT
// What went wrong on an SM, in words.
#include <stdio.h>

#include "sm/sm.h"

Status sm_report_fault(const Sm *sm, Error *err) {
  return fault_report(&sm->context, sm->faulty, err);
}

static const char *wait_of(const Sm *sm, uint32_t w) {
  const WarpSlot *slot = &sm->warps[w];
  uint64_t bit = UINT64_C(1) << w;
  if (sm->ended & bit) return slot->stores ? "its stores to be acknowledged" : "its last accesses";
  if (sm->missing & bit) return "an instruction line";
  if (sm->at_barrier & bit) return "a barrier";
  if (sm->at_fence & bit) return "a fence";
  if (sm->at_atomic & bit) return "an atomic";
  if (sm->waits_memory & bit) return "a load";
  if (sm->ready & bit) return "a unit";
  return "a register";
}

Status sm_report_waits(Sm *const *sms, uint32_t count, Cycle now, Error *err) {
  error_set(err, ERR_DEADLOCK, "nothing moves any more after cycle %llu; who waits for what:",
            (unsigned long long)now);
  size_t used = 0;
  while (err && err->text[used]) used++;
  for (uint32_t s = 0; err && s < count; s++) {
    const Sm *sm = sms[s];
    for (uint64_t left = sm->resident; left && used + 1 < sizeof err->text; left &= left - 1) {
      uint32_t w = (uint32_t)__builtin_ctzll(left);
      const WarpSlot *slot = &sm->warps[w];
      const Program *program = slot->table->program;
      bool has_pc = slot->warp->stack_depth > 0;
      const Instruction *in = has_pc ? &program->code[warp_top(slot->warp)->pc] : NULL;
      used += (size_t)snprintf(err->text + used, sizeof err->text - used,
                               "\n  SM %u warp %u of CTA %llu waits for %s%s%s", sm->id, w,
                               (unsigned long long)slot->warp->cta->linear, wait_of(sm, w),
                               in ? " before " : "", in ? in->text : "");
    }
  }
  return ERR_DEADLOCK;
}
