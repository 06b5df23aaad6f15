// SPDX-License-Identifier: MIT
// The part that LAWS and SAP share: parameters and type.
#include "policies/shared/prefetch_group.h"

const SharedType prefetch_group_shared = {
    .policy = {.name = "prefetch_group",
               .summary = "warps grouped by laws, and warps that sap prefetched for",
               .state_size = sizeof(PrefetchGroup)},
    .per_sm = true,
};
