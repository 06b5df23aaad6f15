// SPDX-License-Identifier: MIT
// L1 insertion: only the first warps of a CTA may keep lines; the loads of the
// others pass the L1D.
#include "policies/l1_insertion/l1_insertion.h"
#include "policies/plugin.h"

typedef struct FirstWarps {
  uint32_t warps;  // parameter
} FirstWarps;

static bool first_warps_keeps(void *state, const L1dAccess *access) {
  return access->requester.warp_in_cta < ((const FirstWarps *)state)->warps;
}

static const Param params[] = {
    PARAM(FirstWarps, warps, 2, 0, 64, "warps of a CTA whose lines are kept"), {0}};

static const L1InsertionType first_warps = {
    .policy = {.name = "first_warps",
               .summary = "keeps the lines of a CTA's first warps",
               .state_size = sizeof(FirstWarps),
               .params = params},
    .keeps = first_warps_keeps,
};
POLICY_PLUGIN("l1_insertion", first_warps);
