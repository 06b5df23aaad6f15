// SPDX-License-Identifier: MIT
// Policies choose for the timing machine, so there are none before it is here.
#include "policies/registry.h"

const PolicyFamily policy_families[] = {{0}};
