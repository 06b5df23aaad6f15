// SPDX-License-Identifier: MIT
// The family table of cluster units.
#include "policies/cluster_unit/cluster_unit.h"

#define CLUSTER_UNIT(name) extern const ClusterUnitType name##_cluster_unit;
#include "policies/cluster_unit/cluster_units.def"
#undef CLUSTER_UNIT

static const PolicyType *const types[] = {
#define CLUSTER_UNIT(name) &name##_cluster_unit.policy,
#include "policies/cluster_unit/cluster_units.def"
#undef CLUSTER_UNIT
    NULL};

const PolicyFamily cluster_unit_family = {
    .name = "cluster_unit",
    .question = "what happens between a cluster's L1s and the network?",
    .types = types};
