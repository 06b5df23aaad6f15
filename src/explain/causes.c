// SPDX-License-Identifier: MIT
// The time of a kernel by cause: every issue slot belongs to one. Slots that wait for memory are
// divided among the accesses; what no access is charged with remains under its reason.
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"

static void add(Cause *causes, size_t *count, Cause cause) {
  if (cause.share > 0 && *count < MOST_CAUSES) causes[(*count)++] = cause;
}

static int by_share(const void *a, const void *b) {
  const Cause *x = a, *y = b;
  return (x->share < y->share) - (x->share > y->share);
}

static const char *what_of(const AccessFacts *access, Arena *arena) {
  return access->array
             ? arena_printf(arena, "%s %s of %s", access->space, access->kind, access->array)
             : arena_printf(arena, "%s %s", access->space, access->kind);
}

// More accesses than rows: the rest is one cause.
static double add_accesses(const KernelFacts *kernel, Cause *causes, size_t *count, Arena *arena) {
  enum { MOST = 12 };
  double charged = 0, rest = 0;
  for (size_t i = 0; i < kernel->access_count; i++) {
    const AccessFacts *access = &kernel->accesses[i];
    double share = access->slots / kernel->all_slots;
    charged += share;
    if (i >= MOST)
      rest += share;
    else
      add(causes, count,
          (Cause){.share = share,
                  .label = access->mostly ? access->mostly : "memory",
                  .where = access->where,
                  .what = what_of(access, arena),
                  .access = access});
  }
  add(causes, count, (Cause){.share = rest, .label = "other accesses"});
  return charged;
}

size_t explain_causes(const KernelFacts *kernel, Cause causes[MOST_CAUSES], Arena *arena) {
  size_t count = 0;
  if (kernel->all_slots <= 0) return 0;
  double charged = add_accesses(kernel, causes, &count, arena), memory = 0;
  for (int r = 0; r < SLOT_REASON_COUNT; r++) {
    SlotReason reason = (SlotReason)r;
    if (slot_is_of_memory(reason))
      memory += slot_share(kernel, reason);
    else
      add(causes, &count,
          (Cause){.share = slot_share(kernel, reason),
                  .label = reason == SLOT_issued ? "instructions issued" : slot_label(reason)});
  }
  add(causes, &count, (Cause){.share = memory - charged, .label = "memory, without an access"});
  qsort(causes, count, sizeof *causes, by_share);
  return count;
}

static double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

Roofline explain_roofline(const RunFacts *facts, const KernelFacts *kernel) {
  double sm_cycles = kernel->cycles * facts->sm_count;
  double sp = machine_setting(facts, "sm", "sp_units"),
         fma = machine_setting(facts, "latency", "fp_fma_interval");
  double bytes = kernel_fact(kernel, "dram.bytes");
  return (Roofline){
      .dram = ratio(bytes, kernel_fact(kernel, "dram.peak_bytes")),
      .l2 = ratio(kernel_fact(kernel, "l2.accesses"),
                  kernel->cycles * facts->l2_ticks_per_cycle * facts->slices),
      .issue = ratio(kernel->slots[SLOT_issued], kernel->all_slots),
      .fp32 = ratio(kernel_fact(kernel, "sm.lanes_sp") / 32 * (fma > 0 ? fma : 1), sm_cycles * sp),
      .fp64 = ratio(kernel_fact(kernel, "sm.fp64_cycles"),
                    sm_cycles * (machine_setting(facts, "sm", "dp_units") > 0
                                     ? machine_setting(facts, "sm", "dp_units")
                                     : 1)),
      .flops_per_byte = ratio(kernel_fact(kernel, "sm.lanes_sp"), bytes)};
}

// What the machine is close to, if anything.
static const char *nearest_roof(const Roofline *roof, Arena *arena) {
  if (roof->dram >= 0.5)
    return arena_printf(arena, "DRAM moves %.0f %% of its peak", roof->dram * 100);
  if (roof->fp64 >= 0.5)
    return arena_printf(arena, "the double-precision units are %.0f %% busy", roof->fp64 * 100);
  if (roof->issue >= 0.5 || roof->fp32 >= 0.5)
    return arena_printf(arena,
                        "%.0f %% of the issue slots issue, and the SP units are %.0f %% busy",
                        roof->issue * 100, roof->fp32 * 100);
  if (roof->l2 >= 0.5)
    return arena_printf(arena, "the L2 serves %.0f %% of its peak", roof->l2 * 100);
  return NULL;
}

static const char *verdict_of_cause(const KernelFacts *kernel, Arena *arena) {
  Cause causes[MOST_CAUSES];
  size_t count = explain_causes(kernel, causes, arena), i = 0;
  while (i < count && strcmp(causes[i].label, "instructions issued") == 0) i++;
  if (i == count) return "limited by the instructions that it executes";
  if (causes[i].what)
    return arena_printf(arena, "limited by the %s at %s: %.0f %% of the issue slots wait for it",
                        causes[i].what, causes[i].where, causes[i].share * 100);
  return arena_printf(arena, "limited by %s: %.0f %% of the issue slots", causes[i].label,
                      causes[i].share * 100);
}

const char *explain_verdict(Explanation *explanation, uint32_t k) {
  Arena *arena = &explanation->arena;
  const KernelFacts *kernel = &explanation->facts.kernels[k];
  const Findings *findings = &explanation->findings[k];
  Roofline roof = explain_roofline(&explanation->facts, kernel);
  const char *nearest = nearest_roof(&roof, arena);
  if (findings->count)
    return arena_printf(arena, "limited by %s (%s)", findings->items[0].cause,
                        findings->items[0].evidence);
  if (nearest) return arena_printf(arena, "nothing to advise: %s", nearest);
  return arena_printf(arena, "%s; no rule applies", verdict_of_cause(kernel, arena));
}
