// SPDX-License-Identifier: MIT
// All loads bypass the L1D: the difference is the benefit of the L1D to a program.
#include "policies/l1_insertion/l1_insertion.h"

static bool bypass_all_keeps(void *state, const L1dAccess *access) {
  (void)state, (void)access;
  return false;
}

const L1InsertionType bypass_all_insertion = {
    .policy = {.name = "bypass_all", .summary = "bypasses every load"},
    .keeps = bypass_all_keeps,
};
