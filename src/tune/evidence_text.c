// SPDX-License-Identifier: MIT
// Prints evidence and verdicts as text and as JSON.
#include "tune/evidence_text.h"

#include "base/files/replaced_file.h"
#include "base/text/text_table.h"

const char *verdict_name(const Verdict *verdict) {
  if (verdict->category == CATEGORY_DATA && verdict->is_write_too) return "data and write";
  return category_name(verdict->category);
}

static void add_percent(TextTable *table, double share) {
  text_table_add(table, "%.1f %%", share * 100);
}

static void add_change(TextTable *table, uint64_t before, uint64_t after) {
  text_table_add(table, "%+.1f %%", (change(before, after) - 1) * 100);
}

// One row per experiment, with its changes.
static void add_experiments(TextTable *table, const KernelEvidence *kernel) {
  const Measured *base = &kernel->measured[EXPERIMENT_BASE];
  for (Experiment i = 0; i < EXPERIMENTS; i++) {
    const Measured *measured = &kernel->measured[i];
    text_table_add(table, "%s", i ? "" : kernel->name);
    text_table_add(table, "%s", experiment_types[i].title);
    text_table_add_count(table, measured->cycles);
    add_change(table, base->cycles, measured->cycles);
    if (i >= EXPERIMENT_UNCACHED)
      text_table_add(table, "-");
    else
      add_percent(table, measured_hit_rate(measured));
    text_table_add_count(table, measured->l2_reads);
    add_change(table, base->l2_reads, measured->l2_reads);
  }
}

static void print_experiments(const Evidence *evidence, FILE *file) {
  static const char *const columns[] = {"kernel",   "experiment", ">cycles", ">change",
                                        ">L1 hits", ">L2 reads",  ">change", NULL};
  TextTable table = {0};
  text_table_init(&table, columns);
  for (size_t i = 0; i < evidence->count; i++) add_experiments(&table, &evidence->kernels[i]);
  text_table_print(&table, file, 0);
  text_table_clear(&table);
}

static void print_accesses(const Evidence *evidence, FILE *file) {
  static const char *const columns[] = {
      "kernel",        ">time",    ">launches",    ">CTAs",     ">coalescing",
      ">shared loads", ">by line", ">overwritten", ">indirect", NULL};
  TextTable table = {0};
  text_table_init(&table, columns);
  for (size_t i = 0; i < evidence->count; i++) {
    const KernelEvidence *kernel = &evidence->kernels[i];
    const double shares[] = {kernel->coalescing, kernel->shared, kernel->line_shared,
                             kernel->overwritten, kernel->indirect};
    text_table_add(&table, "%s", kernel->name);
    add_percent(&table, kernel->time_share);
    text_table_add_count(&table, kernel->launches);
    text_table_add_count(&table, kernel->ctas);
    for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) add_percent(&table, shares[s]);
  }
  text_table_print(&table, file, 0);
  text_table_clear(&table);
}

static const char *order_name(BestOrder order) {
  static const char *const names[] = {NULL, "row", "column"};
  return names[order];
}

void evidence_print(const Evidence *evidence, const Verdict *verdicts, FILE *file) {
  print_experiments(evidence, file);
  fputc('\n', file);
  print_accesses(evidence, file);
  fputc('\n', file);
  for (size_t i = 0; i < evidence->count; i++) {
    const char *order = order_name(verdicts[i].order);
    fprintf(file, "%s: %s: %s", evidence->kernels[i].name, verdict_name(&verdicts[i]),
            verdicts[i].reason);
    if (verdicts[i].is_exploitable && order) fprintf(file, "; best order: %s", order);
    fputc('\n', file);
  }
  fprintf(file, "program: %s\n", category_name(classify_program(evidence, verdicts)));
}

// ---- JSON

static json_t *measured_json(const Measured *measured) {
  return json_pack("{s:I, s:f, s:I}", "cycles", (json_int_t)measured->cycles, "l1_hit_rate",
                   measured_hit_rate(measured), "l2_reads", (json_int_t)measured->l2_reads);
}

static json_t *kernel_json(const KernelEvidence *kernel, const Verdict *verdict) {
  json_t *experiments = json_object();
  for (Experiment i = 0; i < EXPERIMENTS; i++)
    json_object_set_new(experiments, experiment_types[i].name, measured_json(&kernel->measured[i]));
  return json_pack("{s:s, s:I, s:I, s:f, s:o, s:f, s:f, s:f, s:f, s:f, s:s, s:s, s:s, s:b, s:s?}",
                   "name", kernel->name, "launches", (json_int_t)kernel->launches, "ctas",
                   (json_int_t)kernel->ctas, "time_share", kernel->time_share, "experiments",
                   experiments, "coalescing", kernel->coalescing, "shared", kernel->shared,
                   "line_shared", kernel->line_shared, "overwritten", kernel->overwritten,
                   "indirect", kernel->indirect, "category", verdict_name(verdict),
                   "published_flow", category_name(verdict->published), "reason", verdict->reason,
                   "exploitable", verdict->is_exploitable, "order", order_name(verdict->order));
}

json_t *evidence_json(const Evidence *evidence, const Verdict *verdicts) {
  json_t *kernels = json_array();
  for (size_t i = 0; i < evidence->count; i++)
    json_array_append_new(kernels, kernel_json(&evidence->kernels[i], &verdicts[i]));
  return json_pack("{s:s, s:o}", "category", category_name(classify_program(evidence, verdicts)),
                   "kernels", kernels);
}

Status evidence_write(json_t *json, const char *path, Error *err) {
  ReplacedFile out;
  Status status = replaced_file_begin(&out, path, err);
  if (status == OK) {
    json_dumpf(json, out.file, JSON_INDENT(2));
    fputc('\n', out.file);
    status = replaced_file_end(&out, OK, err);
  }
  json_decref(json);
  return status;
}
