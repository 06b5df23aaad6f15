// SPDX-License-Identifier: MIT
// Kernels are matched by name. Slots are compared per SM and scheduler, as cycles: two runs of
// different machines have different numbers of slots.
#include "explain/diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "base/files/scratch_folder.h"
#include "base/text/text_table.h"
#include "explain/run_source.h"
#include "study/report/report_data.h"
#include "study/report/report_write.h"

enum { MOST_CHANGES = 64, MOST_LINES = 8 };

static const struct {
  const char *name, *title;
  const char *per;  // divided by this counter; NULL: as it is
} counters[] = {{"warp_instructions", "warp instructions", NULL},
                {"thread_instructions", "active lanes per instruction", "warp_instructions"},
                {"lsu.transactions", "memory transactions", NULL},
                {"l1d.hits", "L1 hits per access", "l1d.accesses"},
                {"l2.accesses", "L2 accesses", NULL},
                {"l2.hits", "L2 hits per access", "l2.accesses"},
                {"dram.bytes", "DRAM bytes", NULL},
                {"lsu.shared_conflict_cycles", "bank conflict cycles", NULL},
                {"sm.warp_cycles", "resident warps per SM", "sm.active_cycles"},
                {"registers", "registers per thread", "launches"},
                {NULL, NULL, NULL}};

static double value_of(const KernelFacts *kernel, const char *name, const char *per) {
  double value = kernel_fact(kernel, name), all = per ? kernel_fact(kernel, per) : 1;
  return all > 0 ? value / all : 0;
}

static double slot_cycles(const RunFacts *facts, const KernelFacts *kernel, double slots) {
  (void)facts;
  return kernel->all_slots > 0 ? slots / kernel->all_slots * kernel->cycles : 0;
}

static void add_change(TextTable *table, json_t *list, const char *name, double before,
                       double after) {
  text_table_add(table, "%s", name);
  text_table_add(table, before == floor(before) && before < 1e15 ? "%.0f" : "%.2f", before);
  text_table_add(table, after == floor(after) && after < 1e15 ? "%.0f" : "%.2f", after);
  if (before > 0)
    text_table_add(table, "%+.1f %%", (after / before - 1) * 100);
  else
    text_table_add(table, "%s", after > 0 ? "new" : "");
  json_array_append_new(
      list, json_pack("{s:s, s:f, s:f}", "name", name, "before", before, "after", after));
}

static void start_table(TextTable *table, const char *heading) {
  const char *columns[] = {heading, ">before", ">after", ">change", NULL};
  *table = (TextTable){0};
  text_table_init(table, columns);
}

static void end_table(TextTable *table, FILE *file) {
  if (table->cell_count) text_table_print(table, file, 2);
  if (table->cell_count) fputc('\n', file);
  text_table_clear(table);
}

static void compare_counters(const KernelFacts *a, const KernelFacts *b, FILE *file, json_t *out) {
  TextTable table;
  json_t *list = json_array();
  start_table(&table, "counter");
  add_change(&table, list, "cycles", a->cycles, b->cycles);
  for (int i = 0; counters[i].name; i++) {
    double before = value_of(a, counters[i].name, counters[i].per);
    double after = value_of(b, counters[i].name, counters[i].per);
    if (fabs(before - after) > 1e-9 * fabs(before))
      add_change(&table, list, counters[i].title, before, after);
  }
  end_table(&table, file);
  json_object_set_new(out, "counters", list);
}

static int by_difference(const void *a, const void *b) {
  const Change *x = a, *y = b;
  double dx = fabs(x->after - x->before), dy = fabs(y->after - y->before);
  return (dx < dy) - (dx > dy);
}

static void print_changes(Change *changes, size_t count, size_t most, const char *heading,
                          double least, FILE *file, json_t *out, const char *key) {
  TextTable table;
  json_t *list = json_array();
  start_table(&table, heading);
  if (count) qsort(changes, count, sizeof *changes, by_difference);
  for (size_t i = 0; i < count && i < most; i++)
    if (fabs(changes[i].after - changes[i].before) >= least)
      add_change(&table, list, changes[i].name, round(changes[i].before), round(changes[i].after));
  end_table(&table, file);
  json_object_set_new(out, key, list);
}

static void compare_slots(const RunFacts *before, const RunFacts *after, const KernelFacts *a,
                          const KernelFacts *b, FILE *file, json_t *out) {
  Change changes[SLOT_REASON_COUNT];
  for (int reason = 0; reason < SLOT_REASON_COUNT; reason++)
    changes[reason] = (Change){.name = slot_label((SlotReason)reason),
                               .before = slot_cycles(before, a, a->slots[reason]),
                               .after = slot_cycles(after, b, b->slots[reason])};
  print_changes(changes, SLOT_REASON_COUNT, MOST_LINES, "cycles by cause", a->cycles * 0.005, file,
                out, "causes");
}

static Change *change_of(Change *changes, size_t *count, const AccessFacts *access, Arena *arena) {
  const char *name = arena_printf(arena, "%s %s %s", access->where, access->space, access->kind);
  for (size_t i = 0; i < *count; i++)
    if (strcmp(changes[i].name, name) == 0) return &changes[i];
  if (*count == MOST_CHANGES) return NULL;
  changes[*count] = (Change){.name = name};
  return &changes[(*count)++];
}

static void compare_lines(const RunFacts *before, const RunFacts *after, const KernelFacts *a,
                          const KernelFacts *b, Arena *arena, FILE *file, json_t *out) {
  Change changes[MOST_CHANGES], *change;
  size_t count = 0;
  for (size_t i = 0; i < a->access_count; i++)
    if ((change = change_of(changes, &count, &a->accesses[i], arena)))
      change->before += slot_cycles(before, a, a->accesses[i].slots);
  for (size_t i = 0; i < b->access_count; i++)
    if ((change = change_of(changes, &count, &b->accesses[i], arena)))
      change->after += slot_cycles(after, b, b->accesses[i].slots);
  print_changes(changes, count, MOST_LINES, "cycles by access", a->cycles * 0.005, file, out,
                "accesses");
}

static void compare_kernel(const RunFacts *before, const RunFacts *after, const KernelFacts *a,
                           const KernelFacts *b, Arena *arena, FILE *file, json_t *list) {
  json_t *out = json_pack("{s:s, s:f}", "kernel", a->name, "speedup",
                          b->cycles > 0 ? a->cycles / b->cycles : 0);
  fprintf(file, "%s  %.2f times as fast\n", a->name, b->cycles > 0 ? a->cycles / b->cycles : 0);
  compare_counters(a, b, file, out);
  compare_slots(before, after, a, b, file, out);
  compare_lines(before, after, a, b, arena, file, out);
  json_array_append_new(list, out);
}

static json_t *compare(const RunFacts *before, const RunFacts *after, Arena *arena, FILE *file) {
  json_t *list = json_array();
  fprintf(file, "all kernels  %.0f cycles before, %.0f after: %.2f times as fast\n\n",
          before->cycles, after->cycles, after->cycles > 0 ? before->cycles / after->cycles : 0);
  for (size_t i = 0; i < before->count; i++) {
    const KernelFacts *a = &before->kernels[i], *b = run_facts_kernel(after, a->name);
    if (b)
      compare_kernel(before, after, a, b, arena, file, list);
    else
      fprintf(file, "%s  only before: %.0f cycles\n", a->name, a->cycles);
  }
  for (size_t i = 0; i < after->count; i++)
    if (!run_facts_kernel(before, after->kernels[i].name))
      fprintf(file, "%s  only after: %.0f cycles\n", after->kernels[i].name,
              after->kernels[i].cycles);
  return json_pack("{s:f, s:f, s:o}", "before", before->cycles, "after", after->cycles, "kernels",
                   list);
}

Status diff_runs(const DiffRequest *request, FILE *file, json_t **json, Error *err) {
  Arena arena = {0};
  RunFacts before = {0}, after = {0};
  Status status =
      run_source_read(&before, request->before, &request->run, request->quiet, &arena, err);
  if (status == OK)
    status = run_source_read(&after, request->after, &request->run, request->quiet, &arena, err);
  if (status == OK) *json = compare(&before, &after, &arena, file);
  run_facts_clear(&before);
  run_facts_clear(&after);
  arena_clear(&arena);
  return status;
}

Status diff_write_page(const DiffRequest *request, json_t *json, const char *path, Error *err) {
  json_t *page = report_empty("Two runs compared"), *difference = json_copy(json);
  json_object_set_new(difference, "names", json_pack("[s, s]", request->before, request->after));
  json_object_set_new(page, "difference", difference);
  Status status = report_document_write(page, path, err);
  json_decref(page);
  return status;
}
