// SPDX-License-Identifier: MIT
// Changes that are tried by simulation: what a programmer can do (block shape, CTAs per SM, order
// of CTAs, L1 split), and schemes for locality that a machine could have. All but the block shape
// only where a perfect L1 gains enough.
#include <stdlib.h>
#include <string.h>

#include "explain/what_if.h"

// The least gain of a perfect L1 for which locality is worth more runs.
static const double worth_locality = 1.1;

static void add_trial(WhatIfs *list, uint32_t k, const char *title, const char *set) {
  WhatIf *made = what_if_add(list, k, title, NULL, set);
  if (made) made->kind = WHAT_IF_CHANGE;
}

// Shapes of as many threads, wider than the one of the launch.
static void add_blocks(WhatIfs *list, const KernelFacts *kernel, uint32_t k, Arena *arena) {
  uint32_t threads = kernel->block[0] * kernel->block[1];
  bool is_scattered = false;
  for (size_t i = 0; i < kernel->access_count && i < MOST_PLACES; i++)
    is_scattered |= access_is_scattered(&kernel->accesses[i]);
  if (kernel->block[2] != 1 || kernel->block[1] == 1 || !is_scattered) return;
  for (uint32_t x = 16; x <= 64; x *= 2) {
    if (x <= kernel->block[0] || threads % x) continue;
    add_trial(list, k, arena_printf(arena, "blocks of %u x %u", x, threads / x),
              arena_printf(arena, "run.block=%ux%u", x, threads / x));
  }
}

// Fewer CTAs and CCWS only help where the L1 loses lines that are used again.
static bool loses_lines(const KernelFacts *kernel) {
  return lost_lines(kernel) >= 0.25;
}

// As many as the grid gives an SM, if that is less than the SM holds.
static uint32_t most_ctas(const KernelFacts *kernel, const RunFacts *facts) {
  double ctas = kernel_fact(kernel, "ctas") / kernel->launches;
  uint32_t given = facts->sm_count ? (uint32_t)(ctas / facts->sm_count) + 1 : 1;
  return given < kernel->ctas_per_sm ? given : kernel->ctas_per_sm;
}

static void add_degrees(WhatIfs *list, const KernelFacts *kernel, const RunFacts *facts, uint32_t k,
                        Arena *arena) {
  if (!loses_lines(kernel)) return;
  for (uint32_t ctas = most_ctas(kernel, facts) / 2, tried = 0; ctas && tried < 3;
       ctas /= 2, tried++)
    add_trial(list, k, arena_printf(arena, "%u CTAs per SM", ctas),
              arena_printf(arena, "policy.throttle=fixed:ctas=%u", ctas));
}

static void add_orders(WhatIfs *list, const KernelFacts *kernel, const RunFacts *facts,
                       uint32_t k) {
  double ctas = kernel_fact(kernel, "ctas") / kernel->launches;
  if (ctas <= facts->sm_count) return;
  add_trial(list, k, "CTAs clustered along X", "policy.cta_dispatch=clustered:order=row");
  if (kernel->grid[1] > 1)
    add_trial(list, k, "CTAs clustered along Y", "policy.cta_dispatch=clustered:order=column");
}

// ---- the L1 and shared memory

// The next smaller carve-out that still holds a CTA: the rest becomes L1. The machine chose the
// smallest that holds as many CTAs as other resources allow.
static void add_carve_out(WhatIfs *list, const RunFacts *facts, const KernelFacts *kernel,
                          uint32_t k, Arena *arena) {
  const json_t *sm = json_object_get(json_object_get(facts->result, "config"), "sm");
  const char *options = json_string_value(json_object_get(sm, "shared_options_kb"));
  uint32_t needed = (kernel->shared_bytes + 1023) / 1024, chosen = needed * kernel->ctas_per_sm;
  uint32_t best = 0;
  for (char *end; options && *options; options = *end ? end + 1 : end) {
    uint32_t kb = (uint32_t)strtoul(options, &end, 10);
    if (end == options) return;
    if (kb >= needed && kb < chosen && kb > best) best = kb;
  }
  if (!best || best >= chosen) return;
  add_trial(list, k, arena_printf(arena, "shared memory of %u KB, the rest L1", best),
            arena_printf(arena, "sm.shared_options_kb=%u sm.shared_kb=%u", best, best));
}

// Fermi and Kepler: 48 KB of L1 and 16 of shared memory, instead of the reverse.
static void add_l1_split(WhatIfs *list, const RunFacts *facts, const KernelFacts *kernel,
                         uint32_t k, Arena *arena) {
  enum { SMALL_KB = 16, LARGE_KB = 48 };
  double bytes = machine_setting(facts, "l1d", "sets") * machine_setting(facts, "l1d", "ways") *
                 machine_setting(facts, "l1d", "line_bytes");
  double given = machine_setting(facts, "l1d", "size_kb") * 1024;
  if (machine_setting(facts, "sm", "unified_kb") > 0) {
    if (kernel->shared_bytes && kernel->ctas_per_sm > 1)
      add_carve_out(list, facts, kernel, k, arena);
  } else if (machine_setting(facts, "gpu", "compute_capability") < 50 &&
             (given > 0 ? given : bytes) <= SMALL_KB * 1024 &&
             kernel->shared_bytes <= SMALL_KB * 1024) {
    add_trial(list, k, "L1 of 48 KB, shared memory of 16 KB",
              arena_printf(arena, "l1d.size_kb=%d sm.shared_kb=%d", LARGE_KB, SMALL_KB));
  }
}

// ---- schemes

// Rogers et al. (MICRO 2012), Oh et al. (ISCA 2016), Yen (the degree predicted from one CTA), Wang
// et al. (TC 2019). Li et al. (ASPLOS 2017) are the orders of CTAs.
static const struct {
  const char *title, *set;
  bool keeps_lines;  // it gains where the L1 loses lines
} schemes[] = {
    {"warps by LRR", "policy.warp_scheduler=lrr", false},
    {"warps by GTO", "policy.warp_scheduler=gto", false},
    {"CCWS", "policy.warp_scheduler=ccws", true},
    {"LAWS", "policy.warp_scheduler=laws", false},
    {"APRES", "policy.warp_scheduler=laws policy.prefetch=sap", false},
    {"CTAs per SM by sampling", "policy.throttle=sampled", false},
    {"coalescing within clusters of SMs",
     "policy.cta_dispatch=distributed_block policy.cluster_unit=icc_cc", false},
};

static bool is_of_the_machine(const RunFacts *facts, const char *set) {
  const json_t *policy = json_object_get(json_object_get(facts->result, "config"), "policy");
  const char *scheduler = json_string_value(json_object_get(policy, "warp_scheduler"));
  const char *value = strchr(set, '=') + 1;
  return scheduler && strcmp(scheduler, value) == 0;
}

static void add_schemes(WhatIfs *list, const RunFacts *facts, uint32_t k) {
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    bool is_of_clusters = strstr(schemes[i].set, "cluster_unit") != NULL;
    if (is_of_clusters && machine_setting(facts, "gpu", "sms_per_cluster") < 2) continue;
    if (is_of_the_machine(facts, schemes[i].set)) continue;
    if (schemes[i].keeps_lines && !loses_lines(&facts->kernels[k])) continue;
    WhatIf *made = what_if_add(list, k, schemes[i].title, NULL, schemes[i].set);
    if (made) made->kind = WHAT_IF_SCHEME;
  }
}

void what_ifs_to_try(WhatIfs *list, const RunFacts *facts, uint32_t k, Arena *arena) {
  const KernelFacts *kernel = &facts->kernels[k];
  const WhatIf *l1 = what_if_find(list, "l1");
  add_blocks(list, kernel, k, arena);
  if (!l1 || !(l1->kernels >> k & 1) || what_if_gain(l1, facts, k) < worth_locality) return;
  add_degrees(list, kernel, facts, k, arena);
  add_orders(list, kernel, facts, k);
  add_l1_split(list, facts, kernel, k, arena);
  add_schemes(list, facts, k);
}
