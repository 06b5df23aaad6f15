// SPDX-License-Identifier: MIT
// Nothing: requests and answers pass. The machine builds no unit at all.
#include "policies/cluster_unit/cluster_unit.h"

const ClusterUnitType none_cluster_unit = {
    .policy = {.name = "none", .summary = "nothing"},
};
