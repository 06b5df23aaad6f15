// SPDX-License-Identifier: MIT
// The family table of CTA dispatch, and its required callback.
#include "policies/cta_dispatch/cta_dispatch.h"

#define CTA_DISPATCH(name) extern const CtaDispatchType name##_dispatch;
#include "policies/cta_dispatch/cta_dispatches.def"
#undef CTA_DISPATCH

static const PolicyType *const types[] = {
#define CTA_DISPATCH(name) &name##_dispatch.policy,
#include "policies/cta_dispatch/cta_dispatches.def"
#undef CTA_DISPATCH
    NULL};

static const char *missing(const PolicyType *type) {
  return ((const CtaDispatchType *)type)->pick ? NULL : "pick";
}

const PolicyFamily cta_dispatch_family = {
    .name = "cta_dispatch",
    .question = "which CTA is dispatched next, and to which SM?",
    .types = types,
    .missing = missing};
