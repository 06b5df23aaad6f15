// SPDX-License-Identifier: MIT
// CTA dispatch: which CTA of which kernel is dispatched to which SM next.
//
// To add one, write a file in this folder that defines a CtaDispatchType and list it
// in cta_dispatches.def. There is one state per GPU. The view has all running kernels
// with CTAs to dispatch; a policy that does not choose between kernels handles one at
// a time (dispatch_by_kernel). Starts and ends of kernels and CTAs are reported by the
// life cycle (PolicyType).
#ifndef POLICIES_CTA_DISPATCH_CTA_DISPATCH_H
#define POLICIES_CTA_DISPATCH_CTA_DISPATCH_H

#include "base/cycle.h"
#include "isa/launch.h"
#include "policies/policy.h"

// A kernel with CTAs that wait, and the room for them.
typedef struct DispatchKernel {
  KernelView view;
  uint64_t next_cta;           // the first that has not been dispatched
  const uint64_t
      *dispatched;  // bit c % 64 of word c / 64: CTA c, beyond next_cta, has; may be NULL
  // By SM: how many CTAs of it still fit, considering throttling and what other
  // kernels hold.
  const uint32_t *free_ctas;
  // Bit s of word s / 64: SM s takes one in this cycle. A cluster takes at most
  // one CTA per cycle, of any kernel: the SMs of one that has are left out.
  const uint64_t *room;
  bool has_room;               // some bit of it is set
} DispatchKernel;

typedef struct DispatchView {
  Cycle now;
  const DispatchKernel *kernels;  // in the order in which they began
  uint32_t kernel_count;          // never 0; one at least has room
  uint32_t sm_count, sms_per_cluster;
  const uint32_t *limits;         // by SM: CTAs that throttling allows it to hold
} DispatchView;

typedef struct DispatchChoice {
  uint32_t kernel;  // index of view->kernels
  uint32_t sm;      // one with room for it
  uint64_t cta;     // one that waits
  // With the answer false: ask again in this cycle at the latest. Set to the
  // next cycle before the call. NEVER: not until something changes, that is, a
  // kernel begins, a CTA completes or is suspended, or a limit rises.
  Cycle ask_again;
} DispatchChoice;

typedef struct CtaDispatchType {
  PolicyType policy;
  // False: nothing more is dispatched in this cycle, though it could be.
  bool (*pick)(void *state, const DispatchView *view, DispatchChoice *choice);
  // Optional: a CTA that was suspended while its children ran can resume. Returns an
  // SM whose bit is set in room. NULL: the SM with the lowest number.
  uint32_t (*resume)(void *state, const CtaView *cta, const uint64_t *room);
} CtaDispatchType;

extern const PolicyFamily cta_dispatch_family;

static inline bool dispatch_has_room(const DispatchKernel *kernel, uint32_t sm) {
  return kernel->room[sm / 64] >> sm % 64 & 1;
}
static inline bool dispatch_is_out(const DispatchKernel *kernel, uint64_t cta) {
  if (cta < kernel->next_cta) return true;
  return kernel->dispatched && kernel->dispatched[cta / 64] >> cta % 64 & 1;
}

// For policies: answers kernel by kernel, in their order, by a function that
// chooses SM and CTA of one that has room.
typedef bool DispatchPick(void *state, const DispatchView *view, const DispatchKernel *kernel,
                          DispatchChoice *choice);
static inline bool dispatch_by_kernel(void *state, const DispatchView *view,
                                      DispatchChoice *choice, DispatchPick *pick) {
  for (uint32_t k = 0; k < view->kernel_count; k++) {
    choice->kernel = k;
    if (view->kernels[k].has_room && pick(state, view, &view->kernels[k], choice)) return true;
  }
  choice->ask_again = NEVER;
  return false;
}

// For policies: the first SM with free resources after `last`, in circular order.
static inline uint32_t dispatch_next_sm(const DispatchView *view, const DispatchKernel *kernel,
                                        uint32_t last) {
  for (uint32_t i = 1; i <= view->sm_count; i++) {
    uint32_t sm = (last + i) % view->sm_count;
    if (dispatch_has_room(kernel, sm)) return sm;
  }
  return last;
}

#endif
