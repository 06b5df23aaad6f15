// SPDX-License-Identifier: MIT
// Chooses the idealised runs that the first run makes worthwhile.
#include "explain/what_if.h"

#include <string.h>

// A cost below this share of the issue slots, or an access below that of the program's time, is not
// worth a run.
static const double worth_a_run = 0.05, worth_of_program = 0.02;
enum { WORTH_A_BOUND_PERCENT = 15 };

bool access_is_scattered(const AccessFacts *access) {
  return access->ideal > 0 && access->transactions >= 1.5 * access->ideal;
}

bool kernel_diverges(const KernelFacts *kernel) {
  double warps = kernel_fact(kernel, "warp_instructions");
  double threads = kernel_fact(kernel, "thread_instructions");
  uint32_t block = kernel->block[0] * kernel->block[1] * kernel->block[2];
  double full = block / (double)((block + 31) / 32);
  return warps > 0 && threads / warps < 0.85 * full;
}

double memory_share(const KernelFacts *kernel) {
  double share = 0;
  for (int reason = 0; reason < SLOT_REASON_COUNT; reason++)
    if (slot_is_of_memory((SlotReason)reason)) share += slot_share(kernel, (SlotReason)reason);
  return share;
}

// By lines: further sectors of a line that was lost count as sector misses.
double lost_lines(const KernelFacts *kernel) {
  double cold = kernel_fact(kernel, "l1d.cold_misses");
  double lost = kernel_fact(kernel, "l1d.capacity_conflict_misses");
  return cold + lost > 0 ? lost / (cold + lost) : 0;
}

static bool is_same(const char *a, const char *b) {
  return a && b ? strcmp(a, b) == 0 : a == b;
}

WhatIf *what_if_add(WhatIfs *list, uint32_t k, const char *title, const char *ideal,
                    const char *set) {
  for (size_t i = 0; i < list->count; i++) {
    WhatIf *item = &list->items[i];
    if (!is_same(item->ideal, ideal) || !is_same(item->set, set)) continue;
    item->kernels |= 1u << k;
    return item;
  }
  if (list->count == MOST_WHAT_IFS) return NULL;
  WhatIf *made = &list->items[list->count++];
  *made = (WhatIf){.title = title, .ideal = ideal, .set = set, .kernels = 1u << k};
  return made;
}

static void add_ideal(WhatIfs *list, uint32_t k, const char *ideal, const char *title) {
  what_if_add(list, k, title, ideal, NULL);
}

// ---- costs

static void add_access(WhatIfs *list, const AccessFacts *access, uint32_t k, Arena *arena) {
  bool is_load = strcmp(access->kind, "load") == 0, is_store = strcmp(access->kind, "store") == 0;
  bool is_far = strcmp(access->space, "global") == 0 || strcmp(access->space, "local") == 0;
  if (!is_far) return;
  if (access_is_scattered(access) && (is_load || is_store))
    add_ideal(list, k, arena_printf(arena, "coalesced:%s", access->place),
              arena_printf(arena, "%s coalesced", access->where));
  if (is_load)
    add_ideal(list, k, arena_printf(arena, "load:%s", access->place),
              arena_printf(arena, "loads of %s hit", access->where));
  if (is_store)
    add_ideal(list, k, arena_printf(arena, "store:%s", access->place),
              arena_printf(arena, "stores of %s free", access->where));
}

static void add_accesses(WhatIfs *list, const KernelFacts *kernel, uint32_t k, Arena *arena) {
  int places = 0;
  for (size_t i = 0; i < kernel->access_count && places < MOST_PLACES; i++) {
    double share = kernel->accesses[i].slots / kernel->all_slots;
    if (share < worth_a_run || share * kernel->share < worth_of_program) continue;
    add_access(list, &kernel->accesses[i], k, arena);
    places++;
  }
}

static double atomic_share(const KernelFacts *kernel) {
  double slots = 0;
  for (size_t i = 0; i < kernel->access_count; i++)
    if (strcmp(kernel->accesses[i].kind, "atomic") == 0) slots += kernel->accesses[i].slots;
  return kernel->all_slots > 0 ? slots / kernel->all_slots : 0;
}

static void add_occupancy(WhatIfs *list, const KernelFacts *kernel, const RunFacts *facts,
                          uint32_t k) {
  double ctas = kernel_fact(kernel, "ctas") / kernel->launches;
  bool is_full = ctas > (double)kernel->ctas_per_sm * facts->sm_count;
  double idle = 1 - slot_share(kernel, SLOT_issued);
  if (!kernel->resource_limit || !is_full || idle < 0.2 || kernel->occupancy > 0.7) return;
  if (strcmp(kernel->resource_limit, "registers") == 0)
    add_ideal(list, k, "registers", "registers without limit");
  if (strcmp(kernel->resource_limit, "shared_memory") == 0)
    add_ideal(list, k, "shared", "shared memory without limit");
}

void what_ifs_of_costs(WhatIfs *list, const RunFacts *facts, uint32_t k, Arena *arena) {
  const KernelFacts *kernel = &facts->kernels[k];
  add_accesses(list, kernel, k, arena);
  if (memory_share(kernel) * 100 >= WORTH_A_BOUND_PERCENT) {
    add_ideal(list, k, "l1", "perfect L1");
    add_ideal(list, k, "l2", "perfect L2");
    add_ideal(list, k, "dram", "perfect DRAM");
    if (slot_share(kernel, SLOT_network) + slot_share(kernel, SLOT_miss_queue) > worth_a_run)
      add_ideal(list, k, "network", "perfect network");
  }
  if (slot_share(kernel, SLOT_bank_conflict) > worth_a_run)
    add_ideal(list, k, "banks", "no bank conflicts");
  if (slot_share(kernel, SLOT_barrier) > worth_a_run) {
    add_ideal(list, k, "barriers", "no waiting at barriers");
    add_ideal(list, k, "balance", "work between barriers divided evenly");
  }
  if (slot_share(kernel, SLOT_dependency) > 2 * worth_a_run)
    add_ideal(list, k, "dependency", "no waiting for arithmetic");
  if (atomic_share(kernel) > worth_a_run) {
    add_ideal(list, k, "atomics", "atomics without contention");
    add_ideal(list, k, "sharing", "atomics without false sharing");
  }
  if (kernel_diverges(kernel)) add_ideal(list, k, "divergence", "no divergence");
  add_occupancy(list, kernel, facts, k);
}

// ---- runs

// The line of a word, or NULL: it concerns all accesses, or is no word.
static const char *place_of(const WhatIf *what_if) {
  const char *colon = what_if->ideal ? strchr(what_if->ideal, ':') : NULL;
  return colon ? colon + 1 : NULL;
}

static bool has_place(const RunFacts *facts, uint32_t kernels, const char *place) {
  for (uint32_t k = 0; k < facts->count && k < 32; k++)
    for (size_t i = 0; kernels >> k & 1 && i < facts->kernels[k].access_count; i++)
      if (strcmp(facts->kernels[k].accesses[i].place, place) == 0) return true;
  return false;
}

// Whether each leaves the other's kernels as they are.
static bool are_apart(const WhatIf *a, const WhatIf *b, const RunFacts *facts) {
  return place_of(a) && place_of(b) && !(a->kernels & b->kernels) &&
         !has_place(facts, a->kernels, place_of(b)) && !has_place(facts, b->kernels, place_of(a));
}

static bool fits(const WhatIfs *list, size_t first, size_t i, size_t run, const RunFacts *facts) {
  for (size_t j = first; j < i; j++)
    if (list->items[j].run == run && !are_apart(&list->items[j], &list->items[i], facts))
      return false;
  return true;
}

size_t what_ifs_share_runs(WhatIfs *list, size_t first, const RunFacts *facts) {
  double total =
      json_number_value(json_object_get(json_object_get(facts->result, "total"), "cycles"));
  bool overlap = facts->cycles > total;  // kernels of other streams then run beside
  size_t count = 0;
  for (size_t i = first; i < list->count; i++) {
    size_t run = overlap ? count : 0;
    while (run < count && !fits(list, first, i, run, facts)) run++;
    list->items[i].run = run;
    if (run == count) count++;
  }
  return count;
}

// ---- results

const char *what_if_option(const WhatIf *what_if, Arena *arena) {
  if (what_if->ideal) return arena_printf(arena, "--ideal %s", what_if->ideal);
  const char *option = "";
  for (const char *at = what_if->set; *at;) {
    size_t length = strcspn(at, " ");
    option = arena_printf(arena, "%s%s--set %.*s", option, *option ? " " : "", (int)length, at);
    at += length + (at[length] == ' ');
  }
  return option;
}

bool what_if_is_order(const WhatIf *what_if) {
  return what_if->set && strncmp(what_if->set, "policy.cta_dispatch=clustered:", 30) == 0;
}

bool what_if_moves_data(const WhatIf *what_if) {
  return what_if->ideal && strncmp(what_if->ideal, "coalesced:", 10) == 0;
}

const WhatIf *what_if_find(const WhatIfs *list, const char *change) {
  for (size_t i = 0; i < list->count; i++) {
    const WhatIf *item = &list->items[i];
    if (item->is_done && (is_same(item->ideal, change) || is_same(item->set, change))) return item;
  }
  return NULL;
}

double what_if_gain(const WhatIf *what_if, const RunFacts *facts, uint32_t k) {
  if (!what_if || !what_if->is_done || !what_if->cycles || what_if->cycles[k] <= 0) return 1;
  return facts->kernels[k].cycles / what_if->cycles[k];
}
