// SPDX-License-Identifier: MIT
// The list of all policy families.
#include "policies/registry.h"

#include "policies/address_map/address_map.h"
#include "policies/cluster_unit/cluster_unit.h"
#include "policies/cta_dispatch/cta_dispatch.h"
#include "policies/dram_scheduler/dram_scheduler.h"
#include "policies/kernel_scheduler/kernel_scheduler.h"
#include "policies/l1_insertion/l1_insertion.h"
#include "policies/prefetch/prefetch.h"
#include "policies/replacement/replacement.h"
#include "policies/shared/shared.h"
#include "policies/throttle/throttle.h"
#include "policies/warp_scheduler/warp_scheduler.h"

const PolicyFamily *const policy_families[] = {
    &warp_scheduler_family, &cta_dispatch_family,   &kernel_scheduler_family, &throttle_family,
    &prefetch_family,       &l1_insertion_family,   &replacement_family,      &cluster_unit_family,
    &dram_scheduler_family, &address_map_family,    &shared_family,           NULL};
