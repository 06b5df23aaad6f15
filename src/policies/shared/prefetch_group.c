// SPDX-License-Identifier: MIT
#include "policies/shared/prefetch_group.h"

const SharedType prefetch_group_shared = {
    .policy = {.name = "prefetch_group",
               .summary = "the warps that laws groups, and those that sap has prefetched for",
               .state_size = sizeof(PrefetchGroup)},
    .per_sm = true,
};
