// SPDX-License-Identifier: MIT
// Reads a run's JSON result and sums counters and tables over the launches of a kernel.
#include "explain/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// A slice with more than this share of its lookups is saturated, if the others have far fewer; and
// so is the DRAM of its channel, which loses time with rows, with this share of its bytes.
static const double saturated = 0.75, saturated_dram = 0.4, uneven = 2;

static const char *const labels[] = {
#define X(name, label, group, help) label,
    SLOT_REASONS(X)
#undef X
};
static const char *const names[] = {
#define X(name, label, group, help) "sm.slot_" #name,
    SLOT_REASONS(X)
#undef X
};

const char *slot_label(SlotReason reason) {
  return labels[reason];
}

bool slot_is_of_memory(SlotReason reason) {
  switch (reason) {
    case SLOT_memory:
    case SLOT_shared:
    case SLOT_atomic:
    case SLOT_drain:
    case SLOT_lsu:
    case SLOT_bank_conflict:
    case SLOT_mshr:
    case SLOT_reservation:
    case SLOT_miss_queue:
    case SLOT_network: return true;
    default: return false;
  }
}

double kernel_fact(const KernelFacts *kernel, const char *name) {
  return json_number_value(json_object_get(kernel->sums, name));
}

double slot_share(const KernelFacts *kernel, SlotReason reason) {
  return kernel->all_slots > 0 ? kernel->slots[reason] / kernel->all_slots : 0;
}

// ---- accesses

static double number_at(const json_t *row, const char *key) {
  return json_number_value(json_object_get(row, key));
}

static const char *text_at(const json_t *row, const char *key) {
  return json_string_value(json_object_get(row, key));
}

static const char *behind_slash(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static AccessFacts access_of(const json_t *row, Arena *arena) {
  const char *source = text_at(row, "source");
  int line = (int)number_at(row, "line");
  AccessFacts access = {.kind = text_at(row, "kind"),
                        .space = text_at(row, "space"),
                        .array = text_at(row, "array"),
                        .mostly = text_at(row, "mostly"),
                        .executions = number_at(row, "executions"),
                        .lanes = number_at(row, "lanes"),
                        .transactions = number_at(row, "transactions"),
                        .ideal = number_at(row, "ideal_transactions"),
                        .hits = number_at(row, "hits"),
                        .bank_conflict_cycles = number_at(row, "bank_conflict_cycles"),
                        .slots = number_at(row, "slots")};
  access.lookups = access.hits + number_at(row, "merges") + number_at(row, "misses") +
                   number_at(row, "bypasses");
  access.where = source ? behind_slash(source) : arena_printf(arena, "PTX line %d", line);
  access.place = source ? behind_slash(source) : arena_printf(arena, "%d", line);
  return access;
}

static bool is_same_access(const AccessFacts *a, const AccessFacts *b) {
  return strcmp(a->where, b->where) == 0 && strcmp(a->kind, b->kind) == 0 &&
         strcmp(a->space, b->space) == 0;
}

static void add_access(KernelFacts *kernel, const AccessFacts *more) {
  for (size_t i = 0; i < kernel->access_count; i++) {
    AccessFacts *access = &kernel->accesses[i];
    if (!is_same_access(access, more)) continue;
    access->executions += more->executions;
    access->lanes += more->lanes;
    access->transactions += more->transactions;
    access->ideal += more->ideal;
    access->hits += more->hits;
    access->lookups += more->lookups;
    access->bank_conflict_cycles += more->bank_conflict_cycles;
    access->slots += more->slots;
    return;
  }
  kernel->accesses =
      memory_resize(kernel->accesses, sizeof *kernel->accesses * (kernel->access_count + 1));
  kernel->accesses[kernel->access_count++] = *more;
}

static int by_slots(const void *a, const void *b) {
  const AccessFacts *x = a, *y = b;
  return (x->slots < y->slots) - (x->slots > y->slots);
}

// ---- kernels

static void add_numbers(json_t *sums, json_t *row) {
  const char *key;
  json_t *value;
  json_object_foreach(row, key, value) {
    if (!json_is_number(value)) continue;
    double sum = json_number_value(json_object_get(sums, key)) + json_number_value(value);
    json_object_set_new(sums, key, json_real(sum));
  }
}

static void read_shape(const json_t *list, uint32_t shape[3]) {
  for (size_t i = 0; i < 3; i++) shape[i] = (uint32_t)json_number_value(json_array_get(list, i));
}

static bool is_empty(SlotReason reason) {
  return reason == SLOT_launch || reason == SLOT_dispatch || reason == SLOT_small_grid ||
         reason == SLOT_tail;
}

// The share of the slots of an interval that wait for memory, of those of schedulers with warps:
// the others last as long as these.
static double memory_of(const json_t *row) {
  double all = 0, memory = 0;
  for (int reason = 0; reason < SLOT_REASON_COUNT; reason++) {
    double slots = number_at(row, names[reason] + strlen("sm."));
    if (is_empty((SlotReason)reason)) continue;
    all += slots;
    if (slot_is_of_memory((SlotReason)reason)) memory += slots;
  }
  return all > 0 ? memory / all : 0;
}

// The DRAM of a channel is assumed to read for its slice what the slice is asked for.
static bool saturates_dram(const KernelFacts *kernel, const RunFacts *facts, const json_t *row) {
  enum { SECTOR = 32 };
  double all = number_at(row, "l2_accesses"), busiest = number_at(row, "busiest_slice_accesses");
  double moved = (number_at(row, "dram_reads") + number_at(row, "dram_writes")) * SECTOR;
  double peak = kernel->cycles > 0 ? kernel_fact(kernel, "dram.peak_bytes") / kernel->cycles : 0;
  double of_channel = facts->channels ? peak * number_at(row, "cycles") / facts->channels : 0;
  return all > 0 && of_channel > 0 && moved * busiest / all > saturated_dram * of_channel;
}

// In intervals in which one slice, or its channel, has all it can serve and others wait for work,
// an even spread would shorten the waits for memory to those of the mean slice, or to the latency
// of an idle L2.
static void add_intervals(KernelFacts *kernel, const RunFacts *facts, const json_t *rows) {
  const json_t *row;
  size_t i;
  double latency = kernel_fact(kernel, "lsu.memory_latency") / kernel->launches;
  double idle = latency > 0 ? facts->l2_latency / latency : 0;
  json_array_foreach(rows, i, row) {
    double cycles = number_at(row, "cycles"), busiest = number_at(row, "busiest_slice_accesses");
    double all = number_at(row, "l2_accesses");
    double mean = facts->slices ? all / facts->slices : 0;
    bool is_uneven = busiest > uneven * mean;
    bool is_slice = busiest > saturated * cycles * facts->l2_ticks_per_cycle;
    bool is_channel = !is_slice && saturates_dram(kernel, facts, row);
    bool is_camped = is_uneven && (is_slice || is_channel);
    if (is_camped) kernel->camped_share += cycles;
    double memory = memory_of(row), left = (is_channel ? all / facts->channels : mean) / busiest;
    if (left < idle) left = idle;
    if (left > 1) left = 1;
    kernel->even_share += is_camped ? cycles * (1 - memory + memory * left) : cycles;
  }
}

// The first row of a table of the launch, as counters "table.column".
static void add_row(json_t *sums, const json_t *launch, const char *table) {
  json_t *row = json_array_get(json_object_get(launch, table), 0), *value, *named;
  const char *key;
  char name[80];
  if (!row) return;
  named = json_object();
  json_object_foreach(row, key, value) {
    snprintf(name, sizeof name, "%.30s.%.40s", table, key);
    json_object_set(named, name, value);
  }
  add_numbers(sums, named);
  json_decref(named);
}

static KernelFacts *kernel_of(RunFacts *facts, const json_t *row, Arena *arena) {
  const char *name = text_at(row, "readable_name");
  for (size_t i = 0; i < facts->count; i++)
    if (strcmp(facts->kernels[i].name, name ? name : "?") == 0) return &facts->kernels[i];
  facts->kernels = memory_resize(facts->kernels, sizeof *facts->kernels * (facts->count + 1));
  KernelFacts *kernel = &facts->kernels[facts->count++];
  *kernel = (KernelFacts){.name = arena_strdup(arena, name ? name : "?"), .sums = json_object()};
  return kernel;
}

static void add_launch(RunFacts *facts, json_t *row, Arena *arena) {
  KernelFacts *kernel = kernel_of(facts, row, arena);
  const json_t *access;
  size_t i;
  kernel->launches++;
  kernel->cycles += number_at(row, "cycles");
  facts->cycles += number_at(row, "cycles");
  read_shape(json_object_get(row, "grid"), kernel->grid);
  read_shape(json_object_get(row, "block"), kernel->block);
  kernel->ctas_per_sm = (uint32_t)number_at(row, "ctas_per_sm");
  kernel->registers = (uint32_t)number_at(row, "registers");
  kernel->shared_bytes = (uint32_t)number_at(row, "shared_bytes");
  kernel->occupancy = number_at(row, "theoretical_occupancy");
  kernel->resource_limit = text_at(row, "resource_limit");
  add_numbers(kernel->sums, row);
  json_array_foreach(json_object_get(row, "accesses"), i, access) {
    AccessFacts more = access_of(access, arena);
    if (more.kind && more.space) add_access(kernel, &more);
  }
  add_row(kernel->sums, row, "contention");
  add_row(kernel->sums, row, "reuse");
  add_intervals(kernel, facts, json_object_get(row, "intervals"));
}

static int by_cycles(const void *a, const void *b) {
  const KernelFacts *x = a, *y = b;
  return (x->cycles < y->cycles) - (x->cycles > y->cycles);
}

static void finish(RunFacts *facts) {
  for (size_t i = 0; i < facts->count; i++) {
    KernelFacts *kernel = &facts->kernels[i];
    kernel->share = facts->cycles > 0 ? kernel->cycles / facts->cycles : 0;
    for (int reason = 0; reason < SLOT_REASON_COUNT; reason++)
      kernel->all_slots += kernel->slots[reason] = kernel_fact(kernel, names[reason]);
    if (kernel->access_count)
      qsort(kernel->accesses, kernel->access_count, sizeof *kernel->accesses, by_slots);
    kernel->camped_share = kernel->cycles > 0 ? kernel->camped_share / kernel->cycles : 0;
    kernel->even_share = kernel->cycles > 0 ? kernel->even_share / kernel->cycles : 1;
  }
  if (facts->count) qsort(facts->kernels, facts->count, sizeof *facts->kernels, by_cycles);
}

double machine_setting(const RunFacts *facts, const char *section, const char *key) {
  const json_t *config = json_object_get(facts->result, "config");
  return json_number_value(json_object_get(json_object_get(config, section), key));
}

static void read_machine(RunFacts *facts) {
  double core = machine_setting(facts, "gpu", "core_clock_mhz"),
         l2 = machine_setting(facts, "gpu", "l2_clock_mhz");
  facts->sm_count = (uint32_t)machine_setting(facts, "gpu", "sm_count");
  facts->schedulers = (uint32_t)machine_setting(facts, "sm", "warp_schedulers");
  facts->max_warps = (uint32_t)machine_setting(facts, "sm", "max_warps");
  facts->channels = (uint32_t)machine_setting(facts, "gpu", "channels");
  facts->slices = facts->channels * (uint32_t)machine_setting(facts, "gpu", "slices_per_channel");
  facts->l2_latency = machine_setting(facts, "sm", "l1_latency_cycles") +
                      2 * machine_setting(facts, "noc", "latency_cycles") +
                      machine_setting(facts, "partition", "rop_latency_cycles");
  facts->l2_ticks_per_cycle = l2 > 0 && core > 0 ? l2 / core : 1;
}

void run_facts_of(RunFacts *facts, json_t *result, Arena *arena) {
  json_t *row;
  size_t i;
  *facts = (RunFacts){.result = result};
  read_machine(facts);
  json_array_foreach(json_object_get(facts->result, "kernels"), i, row) {
    if (!json_is_false(json_object_get(row, "timed"))) add_launch(facts, row, arena);
  }
  finish(facts);
}

Status run_facts_read(RunFacts *facts, const char *path, Arena *arena, Error *err) {
  json_error_t why;
  *facts = (RunFacts){0};
  json_t *result = json_load_file(path, 0, &why);
  if (!result) return error_set(err, ERR_IO, "cannot read %s: %s", path, why.text);
  if (!json_is_array(json_object_get(result, "kernels"))) {
    json_decref(result);
    return error_set(err, ERR_SYNTAX, "%s: not a result of heddle run --json: it has no kernels",
                     path);
  }
  run_facts_of(facts, result, arena);
  return OK;
}

void run_facts_clear(RunFacts *facts) {
  for (size_t i = 0; i < facts->count; i++) {
    json_decref(facts->kernels[i].sums);
    memory_free(facts->kernels[i].accesses);
  }
  memory_free(facts->kernels);
  json_decref(facts->result);
  *facts = (RunFacts){0};
}

const KernelFacts *run_facts_kernel(const RunFacts *facts, const char *name) {
  for (size_t i = 0; i < facts->count; i++)
    if (strcmp(facts->kernels[i].name, name) == 0) return &facts->kernels[i];
  return NULL;
}
