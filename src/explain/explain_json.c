// SPDX-License-Identifier: MIT
// The explanation as JSON: for other programs, and with the data of figures for the report page.
#include <string.h>

#include "explain/charts.h"
#include "explain/explain.h"
#include "run/run_machine.h"
#include "study/report/report_data.h"
#include "study/report/report_write.h"
#include "study/report/stat_meanings.h"

// The group of reasons of issue slots that a cause belongs to, by which it is coloured.
static const char *cause_group(const Cause *cause) {
  static const struct {
    const char *label, *group;
  } reasons[] = {
#define X(name, label, group, help) {label, group},
      SLOT_REASONS(X)
#undef X
  };
  if (strcmp(cause->label, "instructions issued") == 0) return "issued";
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    if (strcmp(reasons[i].label, cause->label) == 0) return reasons[i].group;
  return "memory";
}

static json_t *causes_json(Explanation *explanation, const KernelFacts *kernel) {
  Cause causes[MOST_CAUSES];
  size_t count = explain_causes(kernel, causes, &explanation->arena);
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(
        list, json_pack("{s:f, s:s, s:s, s:s?, s:s?}", "share", causes[i].share, "cause",
                        causes[i].label, "group", cause_group(&causes[i]), "where", causes[i].where,
                        "access", causes[i].what));
  return list;
}

static json_t *what_ifs_json(const Explanation *explanation, uint32_t k) {
  json_t *list = json_array();
  for (size_t i = 0; i < explanation->what_ifs.count; i++) {
    const WhatIf *item = &explanation->what_ifs.items[i];
    if (!item->is_done || !(item->kernels >> k & 1)) continue;
    json_array_append_new(
        list, json_pack("{s:s, s:s?, s:s?, s:b, s:b, s:f, s:f}", "title", item->title, "ideal",
                        item->ideal, "set", item->set, "tried", item->kind == WHAT_IF_CHANGE,
                        "scheme", item->kind == WHAT_IF_SCHEME, "cycles", item->cycles[k],
                        "speedup", what_if_gain(item, &explanation->facts, k)));
  }
  return list;
}

static json_t *findings_json(const Findings *findings) {
  json_t *list = json_array();
  for (size_t i = 0; i < findings->count; i++) {
    const Finding *finding = &findings->items[i];
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:s, s:s, s:s, s:f, s:b}", "fault", finding->fault, "cause",
                        finding->cause, "evidence", finding->evidence, "advice", finding->advice,
                        "measure", finding->measure, "speedup", finding->gain, "tried",
                        finding->is_tried));
  }
  return list;
}

static json_t *kernel_json(Explanation *explanation, uint32_t k) {
  const KernelFacts *kernel = &explanation->facts.kernels[k];
  Roofline roof = explain_roofline(&explanation->facts, kernel);
  return json_pack("{s:s, s:f, s:f, s:s, s:o, s:o, s:o, s:{s:f, s:f, s:f, s:f, s:f}}", "kernel",
                   kernel->name, "share", kernel->share, "cycles", kernel->cycles, "verdict",
                   explain_verdict(explanation, k), "causes", causes_json(explanation, kernel),
                   "what_ifs", what_ifs_json(explanation, k), "findings",
                   findings_json(&explanation->findings[k]), "roofline", "dram", roof.dram, "l2",
                   roof.l2, "issue", roof.issue, "fp32", roof.fp32, "fp64", roof.fp64);
}

json_t *explanation_json(Explanation *explanation) {
  json_t *kernels = json_array();
  for (uint32_t k = 0; k < explanation->kernel_count; k++)
    json_array_append_new(kernels, kernel_json(explanation, k));
  return json_pack("{s:o, s:f, s:b}", "kernels", kernels, "seconds", explanation->seconds,
                   "stopped", explanation->was_stopped);
}

// ---- the page

static const json_t *launch_of(const RunFacts *facts, const char *kernel) {
  const json_t *launch;
  size_t i;
  json_array_foreach(json_object_get(facts->result, "kernels"), i, launch) {
    const char *name = json_string_value(json_object_get(launch, "readable_name"));
    if (name && strcmp(name, kernel) == 0) return launch;
  }
  return NULL;
}

// The order of CTAs that was tried and is advised, or NULL.
static const WhatIf *advised_order(const Explanation *explanation, uint32_t k) {
  const Findings *findings = &explanation->findings[k];
  for (size_t i = 0; i < findings->count; i++) {
    if (strcmp(findings->items[i].fault, "cta_order") != 0) continue;
    for (size_t w = 0; w < explanation->what_ifs.count; w++)
      if (strcmp(explanation->what_ifs.items[w].title, findings->items[i].measure) == 0)
        return &explanation->what_ifs.items[w];
  }
  return NULL;
}

static const char *order_note(Explanation *explanation, uint32_t k, const WhatIf *advised) {
  Arena *arena = &explanation->arena;
  const RunFacts *facts = &explanation->facts;
  const WhatIf *l1 = what_if_find(&explanation->what_ifs, "l1");
  double best = 0;
  if (advised)
    return arena_printf(arena, "Squares: %s, one cluster per SM, tried: %.2f times as fast.",
                        advised->title, what_if_gain(advised, facts, k));
  for (size_t i = 0; i < explanation->what_ifs.count; i++) {
    const WhatIf *item = &explanation->what_ifs.items[i];
    if (!item->is_done || !(item->kernels >> k & 1) || !what_if_is_order(item)) continue;
    double gain = what_if_gain(item, facts, k);
    if (gain > best) best = gain;
  }
  if (best > 0)
    return arena_printf(arena,
                        "No clustering is suggested: the best that was tried is %.2f times "
                        "as fast.",
                        best);
  if (l1 && l1->kernels >> k & 1)
    return arena_printf(arena,
                        "No clustering is suggested: with a perfect L1 the kernel would be "
                        "%.2f times as fast.",
                        what_if_gain(l1, facts, k));
  return "No clustering is suggested: the kernel hardly waits for memory.";
}

// The matrix of the first launch, in the order that is advised.
static json_t *sharing_json(Explanation *explanation, uint32_t k) {
  const KernelFacts *kernel = &explanation->facts.kernels[k];
  const json_t *launch = launch_of(&explanation->facts, kernel->name);
  json_t *rows = json_object_get(launch, "sharing");
  const WhatIf *advised = advised_order(explanation, k);
  if (advised && advised->sharing) rows = json_array_get(advised->sharing, k);
  if (!json_array_size(rows)) return json_null();
  json_int_t ctas = (json_int_t)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
  bool is_column = advised && strstr(advised->set, "column");
  return json_pack("{s:s, s:I, s:i, s:s, s:O}", "order", is_column ? "Y" : "X", "ctas", ctas,
                   "clusters", advised ? (int)explanation->facts.sm_count : 0, "note",
                   order_note(explanation, k, advised), "rows", rows);
}

static json_t *page_kernel_json(Explanation *explanation, uint32_t k, const GpuConfig *config) {
  const KernelFacts *kernel = &explanation->facts.kernels[k];
  json_t *result = kernel_json(explanation, k), *reuse = chart_reuse(kernel);
  json_t *occupancy = chart_occupancy(config, kernel);
  json_object_set_new(result, "launches", json_integer(kernel->launches));
  json_object_set_new(
      result, "grid",
      json_pack("[i, i, i]", (int)kernel->grid[0], (int)kernel->grid[1], (int)kernel->grid[2]));
  json_object_set_new(
      result, "block",
      json_pack("[i, i, i]", (int)kernel->block[0], (int)kernel->block[1], (int)kernel->block[2]));
  json_object_set_new(result, "roofs", chart_roofline(&explanation->facts, kernel));
  json_object_set_new(result, "memory", chart_memory(&explanation->facts, kernel));
  json_object_set_new(result, "occupancy", occupancy ? occupancy : json_null());
  json_object_set_new(result, "reuse", reuse ? reuse : json_null());
  json_object_set_new(result, "sharing", sharing_json(explanation, k));
  json_object_set_new(result, "source", explanation_source_json(explanation, k));
  return result;
}

Status explanation_read_runs(Explanation *explanation, const char *db, Error *err) {
  Store *store;
  json_t *meanings = stat_meanings();
  Status status = store_open(&store, db, STORE_READ, err);
  if (status == OK) {
    status = report_data(store, &(ReportOptions){.meanings = meanings}, &explanation->page, err);
    store_close(store);
  }
  json_decref(meanings);
  return status;
}

Status explanation_write_page(Explanation *explanation, const RunSpec *run, const char *path,
                              Error *err) {
  RunMachine machine = {0};
  json_t *kernels = json_array();
  Status status = run_resolve(&machine, run, err);
  for (uint32_t k = 0; status == OK && k < explanation->kernel_count; k++)
    json_array_append_new(kernels, page_kernel_json(explanation, k, &machine.config));
  run_machine_clear(&machine);
  json_object_set_new(explanation->page, "title", json_string("Why the kernels take their time"));
  json_object_set_new(
      explanation->page, "explanation",
      json_pack("{s:o, s:b}", "kernels", kernels, "stopped", explanation->was_stopped));
  return status == OK ? report_document_write(explanation->page, path, err) : status;
}
