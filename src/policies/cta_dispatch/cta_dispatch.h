// SPDX-License-Identifier: MIT
// CTA dispatch: which CTA goes to which SM next.
//
// To add one, write a file beside this one that defines a CtaDispatchType and
// name it in cta_dispatches.def. There is one state a GPU.
#ifndef POLICIES_CTA_DISPATCH_CTA_DISPATCH_H
#define POLICIES_CTA_DISPATCH_CTA_DISPATCH_H

#include "base/cycle.h"
#include "isa/launch.h"
#include "policies/policy.h"

// A kernel with CTAs that wait, and the SMs that have room for one of them. A
// cluster takes at most one CTA a cycle: those that have are left out.
typedef struct DispatchView {
  Cycle now;
  uint32_t kernel;             // id; grows with submission
  const LaunchOrigin *origin;  // which thread of which kernel launched it, and where that ran
  uint64_t cta_count;          // of the grid
  uint64_t next_cta;           // the first that has not been dispatched
  const uint64_t *dispatched;  // bit c % 64 of word c / 64: CTA c has; NULL: those below next_cta
  uint32_t sm_count, sms_per_cluster;
  const uint64_t *room;        // bit s of word s / 64: SM s has room; never all zero
  const uint32_t *free_ctas;   // by SM: how many CTAs of this kernel still fit
  uint32_t max_ctas_per_sm;    // of this kernel, on an empty SM
} DispatchView;

typedef struct DispatchChoice {
  uint32_t sm;                 // one with room
  uint64_t cta;                // one that waits
} DispatchChoice;

typedef struct CtaDispatchType {
  PolicyType policy;
  // False: nothing is dispatched in this cycle, though it could.
  bool (*pick)(void *state, const DispatchView *view, DispatchChoice *choice);
  // Optional: a kernel begins; CTA `cta` of it has ended on SM `sm`.
  void (*on_kernel)(void *state, const DispatchView *view);
  void (*on_end)(void *state, uint32_t kernel, uint64_t cta, uint32_t sm);
} CtaDispatchType;

extern const PolicyFamily cta_dispatch_family;

static inline bool dispatch_has_room(const DispatchView *view, uint32_t sm) {
  return view->room[sm / 64] >> sm % 64 & 1;
}
static inline bool dispatch_is_out(const DispatchView *view, uint64_t cta) {
  if (!view->dispatched) return cta < view->next_cta;
  return view->dispatched[cta / 64] >> cta % 64 & 1;
}
// For policies: the first SM with room behind `last` in circular order.
static inline uint32_t dispatch_next_sm(const DispatchView *view, uint32_t last) {
  for (uint32_t i = 1; i <= view->sm_count; i++) {
    uint32_t sm = (last + i) % view->sm_count;
    if (dispatch_has_room(view, sm)) return sm;
  }
  return last;
}

#endif
