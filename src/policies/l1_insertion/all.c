// SPDX-License-Identifier: MIT
// Every load that misses gets a line. The policy is not even asked.
#include "policies/l1_insertion/l1_insertion.h"

const L1InsertionType all_insertion = {
    .policy = {.name = "all", .summary = "caches every load"},
};
