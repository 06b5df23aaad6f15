// SPDX-License-Identifier: MIT
// A rule fires if its cause was measured and the corresponding what-if gains at least a tenth.
// Where several rules describe one cause (a block shape and the uncoalesced access that it leads
// to), the change that was tried is kept if it attains most of the bound.
#include "explain/rules.h"

#include <stdlib.h>
#include <string.h>

static const double worth_advice = 1.10;
static const double most_of = 0.7;  // of a gain
static const double most_of_misses = 0.9;

typedef struct Rules {
  Findings *findings;
  const RunFacts *facts;
  const KernelFacts *kernel;
  uint32_t k;
  const WhatIfs *what_ifs;
  Arena *arena;
} Rules;

static double gain_of(const Rules *rules, const char *change) {
  return what_if_gain(what_if_find(rules->what_ifs, change), rules->facts, rules->k);
}

static void add(Rules *rules, Finding finding) {
  if (finding.gain < worth_advice || rules->findings->count == MOST_FINDINGS) return;
  rules->findings->items[rules->findings->count++] = finding;
}

// ---- accesses

// The idealised run has the addresses of the real one, which may all lie in one L2 slice at a time.
static double gain_of_layout(const Rules *rules, const char *change) {
  const WhatIf *what_if = what_if_find(rules->what_ifs, change);
  double even = what_if && what_if->even_shares ? what_if->even_shares[rules->k] : 1;
  return what_if_gain(what_if, rules->facts, rules->k) / (even > 0 ? even : 1);
}

static void find_uncoalesced(Rules *rules) {
  for (size_t i = 0; i < rules->kernel->access_count; i++) {
    const AccessFacts *access = &rules->kernel->accesses[i];
    const char *change = arena_printf(rules->arena, "coalesced:%s", access->place);
    bool is_far = strcmp(access->space, "global") == 0 || strcmp(access->space, "local") == 0;
    if (!is_far || !access_is_scattered(access) || strcmp(access->kind, "atomic") == 0) continue;
    const char *array = access->array ? access->array : access->space;
    add(rules,
        (Finding){
            .fault = "uncoalesced",
            .cause = arena_printf(rules->arena, "uncoalesced %ss of %s at %s", access->kind, array,
                                  access->where),
            .evidence = arena_printf(rules->arena,
                                     "%.1f transactions per warp instruction; contiguous lanes "
                                     "would need %.1f",
                                     access->transactions / access->executions,
                                     access->ideal / access->executions),
            .advice = "let consecutive threads access consecutive words: swap the indices or the "
                      "layout of the array (structure of arrays), or stage tiles in shared memory",
            .measure = arena_printf(rules->arena, "%s coalesced", access->where),
            .gain = gain_of_layout(rules, change)});
  }
}

static void find_bank_conflicts(Rules *rules) {
  const AccessFacts *worst = NULL;
  for (size_t i = 0; i < rules->kernel->access_count; i++) {
    const AccessFacts *access = &rules->kernel->accesses[i];
    if (!worst || access->bank_conflict_cycles > worst->bank_conflict_cycles) worst = access;
  }
  if (!worst || worst->bank_conflict_cycles <= 0) return;
  add(rules,
      (Finding){
          .fault = "bank_conflicts",
          .cause = arena_printf(rules->arena, "shared-memory bank conflicts at %s", worst->where),
          .evidence = arena_printf(rules->arena, "%.1f extra cycles per access of shared memory",
                                   worst->bank_conflict_cycles / worst->executions),
          .advice = "pad the rows of the array by one word, or swizzle its columns, "
                    "so that the lanes of a warp access different banks",
          .measure = "no bank conflicts",
          .gain = gain_of(rules, "banks")});
}

// CTAs that update words of their own, but in common sectors, as opposed to common words.
static bool is_false_sharing(const KernelFacts *kernel, double *ctas) {
  double sectors = kernel_fact(kernel, "contention.sectors");
  double pairs = kernel_fact(kernel, "contention.pairs");
  *ctas = sectors > 0 ? pairs / sectors : 0;
  return sectors > 1 && *ctas > 1.5 && *ctas <= 8.5;
}

static void find_contention(Rules *rules) {
  double ctas;
  const AccessFacts *worst = NULL;
  for (size_t i = 0; i < rules->kernel->access_count && !worst; i++)
    if (strcmp(rules->kernel->accesses[i].kind, "atomic") == 0) worst = &rules->kernel->accesses[i];
  if (!worst) return;
  bool is_false = is_false_sharing(rules->kernel, &ctas);
  Finding finding = {.fault = is_false ? "false_sharing" : "atomics",
                     .measure = "atomics without contention",
                     .gain = gain_of(rules, "atomics")};
  finding.evidence = arena_printf(
      rules->arena, "%.1f transactions per atomic, on sectors that %.1f CTAs update each",
      worst->transactions / worst->executions, ctas);
  if (is_false) {
    finding.measure = "atomics without false sharing";
    finding.gain = gain_of(rules, "sharing");
    finding.cause = arena_printf(rules->arena,
                                 "false sharing: atomics of different CTAs on "
                                 "words of the same sectors at %s",
                                 worst->where);
    finding.advice = "pad the counters, so that each CTA updates a line of its own";
  } else {
    finding.cause = arena_printf(rules->arena, "contention of atomics at %s", worst->where);
    finding.advice =
        "combine updates first: within the warp by shuffles, within the CTA in shared "
        "memory (privatise the histogram), then one atomic per CTA";
  }
  add(rules, finding);
}

// ---- the SM

static void find_occupancy(Rules *rules) {
  const KernelFacts *kernel = rules->kernel;
  const char *evidence = arena_printf(rules->arena, "%u CTAs per SM, %.0f %% occupancy",
                                      kernel->ctas_per_sm, kernel->occupancy * 100);
  add(rules,
      (Finding){.fault = "registers",
                .cause = arena_printf(rules->arena, "occupancy limited by %u registers per thread",
                                      kernel->registers),
                .evidence = evidence,
                .advice = "keep fewer values live: __launch_bounds__ with a minimum of "
                          "CTAs per SM, -maxrregcount, less unrolling, or recomputation",
                .measure = "registers without limit",
                .gain = gain_of(rules, "registers")});
  add(rules, (Finding){.fault = "shared_limit",
                       .cause = "occupancy limited by shared memory",
                       .evidence = evidence,
                       .advice = "reserve less shared memory per block: smaller tiles, or reuse "
                                 "of one array for several purposes",
                       .measure = "shared memory without limit",
                       .gain = gain_of(rules, "shared")});
}

// Without barriers, a warp that has more to do in every phase still takes as long; an equal share
// of the work takes no time off phases that differ in what they wait for.
static void find_imbalance(Rules *rules) {
  double free = gain_of(rules, "barriers"), even = gain_of(rules, "balance");
  double waits = slot_share(rules->kernel, SLOT_barrier);
  add(rules, (Finding){.fault = "barrier",
                       .cause = "warps of unequal work between barriers",
                       .evidence = arena_printf(
                           rules->arena, "%.0f %% of the issue slots wait at __syncthreads()",
                           waits * 100),
                       .advice = "divide the work between two __syncthreads() evenly among the "
                                 "warps, or synchronise fewer warps",
                       .measure = even > free ? "work between barriers divided evenly"
                                              : "no waiting at barriers",
                       .gain = even > free ? even : free});
}

static void find_waits(Rules *rules) {
  const KernelFacts *kernel = rules->kernel;
  double lanes =
      kernel_fact(kernel, "thread_instructions") / kernel_fact(kernel, "warp_instructions");
  add(rules,
      (Finding){.fault = "divergence",
                .cause = "divergent branches",
                .evidence = arena_printf(rules->arena, "%.1f of 32 lanes active on average", lanes),
                .advice = "let the threads of a warp take the same branch: branch by warp, "
                          "or sort the work by kind",
                .measure = "no divergence",
                .gain = gain_of(rules, "divergence")});
  add(rules, (Finding){.fault = "chain",
                       .cause = "a chain of dependent arithmetic",
                       .evidence = arena_printf(
                           rules->arena,
                           "%.0f %% of the issue slots wait for an arithmetic result, with %.1f "
                           "resident warps per scheduler",
                           slot_share(kernel, SLOT_dependency) * 100,
                           kernel_fact(kernel, "sm.warp_cycles") /
                               kernel_fact(kernel, "sm.active_cycles") / rules->facts->schedulers),
                       .advice = "more independent work per thread (several accumulators, "
                                 "unrolling) or more warps per SM",
                       .measure = "no waiting for arithmetic",
                       .gain = gain_of(rules, "dependency")});
}

// ---- the grid

// With the work divided among all SMs, those that have CTAs now keep their share of it. Fetching
// the instructions takes every SM as long as before; half of it is assumed to overlap with other
// warps.
static void find_few_ctas(Rules *rules) {
  const KernelFacts *kernel = rules->kernel;
  double idle = slot_share(kernel, SLOT_small_grid);
  double launch = slot_share(kernel, SLOT_launch);
  double busy = 1 - idle - launch;
  if (idle < 0.1 || busy <= 0) return;
  double fetch = slot_share(kernel, SLOT_fetch) / busy / 2;
  double left = fetch + (1 - fetch) * busy / (busy + idle);
  add(rules, (Finding){.fault = "few_ctas",
                       .cause = arena_printf(rules->arena, "a grid of %u CTAs for %u SMs",
                                             kernel->grid[0] * kernel->grid[1] * kernel->grid[2],
                                             rules->facts->sm_count),
                       .evidence = arena_printf(
                           rules->arena, "%.0f %% of the issue slots never had a warp", idle * 100),
                       .advice = "launch more and smaller blocks, with less work per thread, so "
                                 "that every SM has several",
                       .measure = "work spread over all SMs",
                       .gain = 1 / (launch + (1 - launch) * left)});
}

// Estimated from intervals, not measured by a run: only what is clear counts.
static void find_camping(Rules *rules) {
  enum { LEAST_PERCENT = 125 };
  const KernelFacts *kernel = rules->kernel;
  if (kernel->camped_share < 0.3 || kernel->even_share <= 0) return;
  if (100 / kernel->even_share < LEAST_PERCENT) return;
  add(rules,
      (Finding){.fault = "camping",
                .cause = "partition camping: the SMs access one L2 slice at a time",
                .evidence = arena_printf(rules->arena,
                                         "for %.0f %% of the time one slice is saturated while the "
                                         "others have little to do",
                                         kernel->camped_share * 100),
                .advice = "let CTAs begin at different places of the array, or change the pitch "
                          "of its rows",
                .measure = "slices with equal shares",
                .gain = 1 / kernel->even_share});
}

// ---- changes that were tried

static double misses_left(const Rules *rules, const WhatIf *trial) {
  double before = kernel_fact(rules->kernel, "l1d.misses");
  return before > 0 ? trial->l1_misses[rules->k] / before : 1;
}

// An order of CTAs also changes when they end; without fewer misses its gain is not one of
// locality.
static bool is_of_locality(const Rules *rules, const WhatIf *trial) {
  return !what_if_is_order(trial) || misses_left(rules, trial) < most_of_misses;
}

static Finding trial_finding(const Rules *rules, const WhatIf *trial) {
  Finding finding = {.measure = trial->title,
                     .gain = what_if_gain(trial, rules->facts, rules->k),
                     .is_tried = true};
  const KernelFacts *kernel = rules->kernel;
  if (strncmp(trial->set, "run.block=", 10) == 0) {
    finding.fault = "block_shape";
    finding.cause =
        arena_printf(rules->arena, "blocks of %u x %u threads", kernel->block[0], kernel->block[1]);
    finding.evidence = "the lanes of a warp are spread over several rows";
    finding.advice = arena_printf(rules->arena, "launch %s", trial->title);
  } else if (strncmp(trial->set, "policy.throttle=", 16) == 0) {
    finding.fault = "thrashing";
    finding.cause =
        arena_printf(rules->arena, "%u resident CTAs per SM thrash the L1", kernel->ctas_per_sm);
    finding.evidence =
        arena_printf(rules->arena, "%.0f %% of the lines that the L1 fetches had been there",
                     100 * lost_lines(kernel));
    finding.advice = arena_printf(rules->arena,
                                  "hold %s: a grid of as many CTAs, which loop over the work, or "
                                  "dynamic shared memory as a limit where the L1 is apart from it",
                                  trial->title);
  } else if (!what_if_is_order(trial)) {
    finding.fault = "l1_split";
    finding.cause = "an L1 that is too small for the kernel's lines";
    finding.evidence =
        arena_printf(rules->arena, "%.0f %% of the lines that the L1 fetches had been there",
                     100 * lost_lines(kernel));
    finding.advice = arena_printf(
        rules->arena,
        "ask for %s: cudaFuncAttributePreferredSharedMemoryCarveout, or cudaFuncCachePreferL1",
        trial->title);
  } else {
    finding.fault = "cta_order";
    finding.cause = "CTAs that share data run on different SMs";
    finding.evidence =
        arena_printf(rules->arena, "in another order, %.0f %% of the misses of the L1 remain",
                     100 * misses_left(rules, trial));
    finding.advice =
        arena_printf(rules->arena, "%s (heddle cluster rewrites the source)", trial->title);
  }
  return finding;
}

static bool is_same_kind(const WhatIf *a, const WhatIf *b) {
  return strncmp(a->set, b->set, 10) == 0;
}

// Of several values of one change, the best.
static void find_tried(Rules *rules) {
  const WhatIfs *list = rules->what_ifs;
  for (size_t i = 0; i < list->count; i++) {
    const WhatIf *trial = &list->items[i];
    bool is_best =
        trial->kind == WHAT_IF_CHANGE && trial->is_done && trial->kernels >> rules->k & 1;
    for (size_t j = 0; is_best && j < list->count; j++) {
      const WhatIf *other = &list->items[j];
      if (j == i || other->kind != WHAT_IF_CHANGE || !other->is_done || !is_same_kind(trial, other))
        continue;
      double mine = what_if_gain(trial, rules->facts, rules->k);
      double theirs = what_if_gain(other, rules->facts, rules->k);
      is_best = mine > theirs || (mine == theirs && i < j);
    }
    if (is_best && is_of_locality(rules, trial)) add(rules, trial_finding(rules, trial));
  }
}

// ---- order

static int by_gain(const void *a, const void *b) {
  const Finding *x = a, *y = b;
  return (x->gain < y->gain) - (x->gain > y->gain);
}

static const Finding *finding_of(const Findings *findings, const char *fault) {
  for (size_t i = 0; i < findings->count; i++)
    if (strcmp(findings->items[i].fault, fault) == 0) return &findings->items[i];
  return NULL;
}

// A block shape removes uncoalesced accesses; if it attains most of their gain, they are not
// mentioned apart. Nor is the slice that atomics crowd.
static void drop_explained(Findings *findings) {
  const Finding *shape = finding_of(findings, "block_shape");
  bool has_contention = finding_of(findings, "atomics") || finding_of(findings, "false_sharing");
  size_t kept = 0;
  double gain = shape ? shape->gain : 0;
  for (size_t i = 0; i < findings->count; i++) {
    Finding *finding = &findings->items[i];
    bool is_explained =
        (strcmp(finding->fault, "uncoalesced") == 0 && gain > most_of * finding->gain) ||
        (strcmp(finding->fault, "camping") == 0 && has_contention);
    if (!is_explained) findings->items[kept++] = *finding;
  }
  findings->count = kept;
}

void rules_apply(Findings *findings, const RunFacts *facts, uint32_t k, const WhatIfs *what_ifs,
                 Arena *arena) {
  Rules rules = {.findings = findings,
                 .facts = facts,
                 .kernel = &facts->kernels[k],
                 .k = k,
                 .what_ifs = what_ifs,
                 .arena = arena};
  *findings = (Findings){0};
  find_uncoalesced(&rules);
  find_bank_conflicts(&rules);
  find_contention(&rules);
  find_occupancy(&rules);
  find_waits(&rules);
  find_imbalance(&rules);
  find_few_ctas(&rules);
  find_camping(&rules);
  find_tried(&rules);
  drop_explained(findings);
  qsort(findings->items, findings->count, sizeof *findings->items, by_gain);
}
