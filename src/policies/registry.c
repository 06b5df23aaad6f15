// SPDX-License-Identifier: MIT
#include "policies/registry.h"

#include "policies/address_map/address_map.h"
#include "policies/cta_dispatch/cta_dispatch.h"
#include "policies/dram_scheduler/dram_scheduler.h"
#include "policies/replacement/replacement.h"
#include "policies/warp_scheduler/warp_scheduler.h"

const PolicyFamily *const policy_families[] = {
    &warp_scheduler_family, &cta_dispatch_family, &replacement_family,
    &dram_scheduler_family, &address_map_family,  NULL};
