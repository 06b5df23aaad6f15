// SPDX-License-Identifier: MIT
// What went wrong on an SM, in words.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sm/sm.h"

// Adds to a text that is already there, as far as it fits.
__attribute__((format(printf, 2, 3))) static void append(Error *err, const char *format, ...) {
  size_t used = strlen(err->text);
  va_list args;
  va_start(args, format);
  vsnprintf(err->text + used, sizeof err->text - used, format, args);
  va_end(args);
}

Status sm_report_fault(const Sm *sm, Error *err) {
  return fault_report(&sm->context, sm->faulty, err);
}

const char *sm_wait_of(const Sm *sm, uint32_t w) {
  uint64_t bit = UINT64_C(1) << w;
  if (sm->ended & bit) return sm->lsu.stores[w] ? "store acknowledgements" : "outstanding accesses";
  if (sm->missing & bit) return "instruction fetch";
  if (sm->at_barrier & bit) return "a barrier";
  if (sm->at_launch & bit) return "a kernel launch";
  if (sm->asleep & bit) return "the end of nanosleep";
  if (sm->at_fence & bit) return "a fence";
  if (sm->at_atomic & bit) return "an atomic";
  if (sm->at_copies & bit) return "asynchronous copies";
  if (sm->at_mbarrier & bit) return "an mbarrier";
  if (sm->waits_memory & bit) return "a load";
  if (sm->ready & bit) return "a unit";
  return "a register";
}

// Warps of one SM that wait for the same thing at the same place.
typedef struct Wait {
  const char *what;
  uint32_t pc;  // NO_PC: they have ended
  uint64_t warps;
} Wait;

#define NO_PC UINT32_MAX

static uint32_t pc_of(const Sm *sm, uint32_t w) {
  const Warp *warp = sm->warps[w].warp;
  return warp->stack_depth > 0 && !(sm->ended >> w & 1) ? warp_top(warp)->pc : NO_PC;
}

static uint32_t collect_waits(const Sm *sm, Wait waits[MAX_WARPS_PER_SM]) {
  uint32_t count = 0;
  for (uint64_t left = sm->resident; left; left &= left - 1) {
    uint32_t w = (uint32_t)__builtin_ctzll(left), pc = pc_of(sm, w), i = 0;
    const char *what = sm_wait_of(sm, w);
    while (i < count && (waits[i].what != what || waits[i].pc != pc)) i++;
    if (i == count) waits[count++] = (Wait){.what = what, .pc = pc};
    waits[i].warps |= UINT64_C(1) << w;
  }
  return count;
}

static void report_wait(const Sm *sm, const Wait *wait, Error *err) {
  uint32_t first = (uint32_t)__builtin_ctzll(wait->warps);
  int others = __builtin_popcountll(wait->warps) - 1;
  const WarpSlot *slot = &sm->warps[first];
  char more[32] = "";
  if (others) snprintf(more, sizeof more, " and %d more", others);
  append(err, "\n  SM %u: warp %u of CTA %llu%s: waiting for %s", sm->id, first,
         (unsigned long long)slot->warp->cta->linear, more, wait->what);
  if (wait->pc == NO_PC || wait->pc >= slot->table->program->code_count) return;
  const Instruction *in = &slot->table->program->code[wait->pc];
  append(err, ", at %s in line %u", in->text, in->line);
}

static void report_lsu(const Sm *sm, Error *err) {
  static const char *const reasons[] = {
#define X(name, text) [FAIL_##name] = text,
      FAIL_LIST(X)
#undef X
  };
  const Lsu *lsu = &sm->lsu;
  if (lsu->is_blocked)
    append(err, "\n  SM %u: L1D stalled: %s", sm->id, reasons[lsu->block_reason]);
  if (lsu->latch)
    append(err, "\n  SM %u: load/store unit: %u of %u transactions sent for %s", sm->id,
           lsu->latch->access_next, lsu->latch->access_count,
           sm->warps[lsu->latch->warp].table->program->code[lsu->latch->pc].text);
}

void sm_report_waits(Sm *const *sms, uint32_t count, Error *err) {
  for (uint32_t s = 0; err && s < count; s++) {
    Wait waits[MAX_WARPS_PER_SM];
    uint32_t found = collect_waits(sms[s], waits);
    for (uint32_t i = 0; i < found; i++) report_wait(sms[s], &waits[i], err);
    report_lsu(sms[s], err);
  }
}
