// SPDX-License-Identifier: MIT
// The family table of shared parts.
#include "policies/shared/shared.h"

#define SHARED_PART(name) extern const SharedType name##_shared;
#include "policies/shared/shared_parts.def"
#undef SHARED_PART

static const PolicyType *const types[] = {
#define SHARED_PART(name) &name##_shared.policy,
#include "policies/shared/shared_parts.def"
#undef SHARED_PART
    NULL};

const PolicyFamily shared_family = {
    .name = "shared",
    .question = "which state do policies of different families share?",
    .types = types};
