// SPDX-License-Identifier: MIT
// Reads evidence from a store. Kernels are identified by their readable name, which does not
// change when a kernel is rewritten; launches of the same name are summed.
#include <string.h>

#include "study/classify/evidence.h"

// Counters of every run.
static const char measured_sql[] =
    "select k.readable_name, count(*), max(k.ctas), max(k.ctas_per_sm), sum(k.cycles),"
    " sum(k.\"l1d.accesses\"), sum(k.\"l1d.hits\" + k.\"l1d.merges\"), sum(k.\"l2.reads\"),"
    " max(case when k.grid glob '*x1x1' then 1 else 2 end)"
    " from kernels k join runs r on r.id = k.run where r.job = ? and r.state = 'complete'"
    " group by k.readable_name order by min(k.kernel)";

enum { NAME, LAUNCHES, CTAS, CTAS_PER_SM, CYCLES, ACCESSES, HITS, READS, HEIGHT };

// Counters of the observers in the first experiment.
static const char observed_sql[] =
    "select k.readable_name, sum(o.loads), sum(o.shared_loads), sum(o.line_shared_loads),"
    " sum(o.overwritten_loads), sum(o.executed_loads), sum(o.indirect_loads),"
    " sum((select sum(transactions) from accesses a where a.run = k.run and a.kernel = k.kernel"
    "   and a.kind = 'load' and a.space = 'global')),"
    " sum((select sum(ideal_transactions) from accesses a where a.run = k.run"
    "   and a.kernel = k.kernel and a.kind = 'load' and a.space = 'global'))"
    " from kernels k join runs r on r.id = k.run"
    " join inter_cta o on o.run = k.run and o.kernel = k.kernel"
    " where r.job = ? and r.state = 'complete' group by k.readable_name";

enum { LOADS = 1, SHARED, LINE_SHARED, OVERWRITTEN, EXECUTED, INDIRECT, TRANSACTIONS, IDEAL };

static uint64_t count_at(const json_t *row, size_t column) {
  return (uint64_t)json_number_value(json_array_get(row, column));
}

static double share_of(const json_t *row, size_t part, size_t whole, double otherwise) {
  double all = json_number_value(json_array_get(row, whole));
  return all > 0 ? json_number_value(json_array_get(row, part)) / all : otherwise;
}

static KernelEvidence *find(Evidence *evidence, const char *name) {
  for (size_t i = 0; i < evidence->count; i++)
    if (strcmp(evidence->kernels[i].name, name) == 0) return &evidence->kernels[i];
  return NULL;
}

static Measured measured_of(const json_t *row) {
  return (Measured){.cycles = count_at(row, CYCLES),
                    .l1_accesses = count_at(row, ACCESSES),
                    .l1_hits = count_at(row, HITS),
                    .l2_reads = count_at(row, READS)};
}

static void add_kernels(Evidence *evidence, const json_t *rows, Arena *arena) {
  const json_t *row;
  size_t i;
  double all = 0;
  evidence->kernels = ARENA_ARRAY(arena, KernelEvidence, json_array_size(rows) + 1);
  json_array_foreach(rows, i, row) {
    const char *name = json_string_value(json_array_get(row, NAME));
    evidence->kernels[evidence->count++] =
        (KernelEvidence){.name = arena_strdup(arena, name ? name : "?"),
                         .launches = count_at(row, LAUNCHES),
                         .ctas = count_at(row, CTAS),
                         .ctas_per_sm = count_at(row, CTAS_PER_SM),
                         .grid_height = count_at(row, HEIGHT),
                         .coalescing = 1,
                         .measured = {[EXPERIMENT_BASE] = measured_of(row)}};
    all += (double)count_at(row, CYCLES);
  }
  for (i = 0; i < evidence->count; i++)
    evidence->kernels[i].time_share =
        all > 0 ? (double)evidence->kernels[i].measured[EXPERIMENT_BASE].cycles / all : 0;
}

static void add_observed(Evidence *evidence, const json_t *rows) {
  const json_t *row;
  size_t i;
  json_array_foreach(rows, i, row) {
    const char *name = json_string_value(json_array_get(row, NAME));
    KernelEvidence *kernel = name ? find(evidence, name) : NULL;
    if (!kernel) continue;
    kernel->coalescing = share_of(row, IDEAL, TRANSACTIONS, 1);
    kernel->shared = share_of(row, SHARED, LOADS, 0);
    kernel->line_shared = share_of(row, LINE_SHARED, LOADS, 0);
    kernel->overwritten = share_of(row, OVERWRITTEN, LOADS, 0);
    kernel->indirect = share_of(row, INDIRECT, EXECUTED, 0);
  }
}

static void add_measured(Evidence *evidence, Experiment experiment, const json_t *rows) {
  const json_t *row;
  size_t i;
  json_array_foreach(rows, i, row) {
    const char *name = json_string_value(json_array_get(row, NAME));
    KernelEvidence *kernel = name ? find(evidence, name) : NULL;
    if (kernel) kernel->measured[experiment] = measured_of(row);
  }
}

static Status select_rows(Store *store, const char *sql, const char *key, json_t **table,
                          Error *err) {
  return store_select(store, table, err, sql, "t", key);
}

Status evidence_read_run(Evidence *evidence, Store *store, const char *key, Arena *arena,
                         Error *err) {
  json_t *table;
  *evidence = (Evidence){0};
  TRY(select_rows(store, measured_sql, key, &table, err));
  add_kernels(evidence, json_object_get(table, "rows"), arena);
  json_decref(table);
  return OK;
}

Status evidence_read(Evidence *evidence, Store *store, const char *const keys[EXPERIMENTS],
                     Arena *arena, Error *err) {
  json_t *table;
  TRY(evidence_read_run(evidence, store, keys[EXPERIMENT_BASE], arena, err));
  TRY(select_rows(store, observed_sql, keys[EXPERIMENT_BASE], &table, err));
  add_observed(evidence, json_object_get(table, "rows"));
  json_decref(table);
  for (Experiment i = EXPERIMENT_BASE + 1; i < EXPERIMENTS; i++) {
    TRY(select_rows(store, measured_sql, keys[i], &table, err));
    add_measured(evidence, i, json_object_get(table, "rows"));
    json_decref(table);
  }
  return OK;
}
