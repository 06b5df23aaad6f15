// SPDX-License-Identifier: MIT
// The explanation as text.
#include <string.h>

#include "base/text/text_table.h"
#include "explain/explain.h"

// Causes below this share are printed as one line.
static const double worth_a_line = 0.02;

static void print_heading(const KernelFacts *kernel, FILE *file) {
  char cycles[GROUPED_BYTES];
  fprintf(file,
          "%s  %.1f %% of the time, %s cycles in %u launch%s, grid %ux%ux%u, block %ux%ux%u\n",
          kernel->name, kernel->share * 100, text_grouped(cycles, (uint64_t)kernel->cycles),
          kernel->launches, kernel->launches == 1 ? "" : "es", kernel->grid[0], kernel->grid[1],
          kernel->grid[2], kernel->block[0], kernel->block[1], kernel->block[2]);
}

static void print_cause(TextTable *table, const Cause *cause) {
  const AccessFacts *access = cause->access;
  text_table_add(table, "%.1f %%", cause->share * 100);
  text_table_add(table, "%s", cause->label);
  text_table_add(table, "%s", cause->where ? cause->where : "");
  text_table_add(table, "%s", cause->what ? cause->what : "");
  if (!access || access->executions <= 0)
    text_table_add(table, "%s", "");
  else if (access->lookups > 0)
    text_table_add(table, "%.1f transactions (ideal %.1f), %.0f %% hits",
                   access->transactions / access->executions, access->ideal / access->executions,
                   100 * access->hits / access->lookups);
  else
    text_table_add(table, "%.1f transactions (ideal %.1f)",
                   access->transactions / access->executions, access->ideal / access->executions);
}

static void print_causes(Explanation *explanation, const KernelFacts *kernel, FILE *file) {
  static const char *const columns[] = {">share", "cause", "where", "access", "evidence", NULL};
  Cause causes[MOST_CAUSES];
  size_t count = explain_causes(kernel, causes, &explanation->arena);
  double rest = 0;
  TextTable table = {0};
  text_table_init(&table, columns);
  for (size_t i = 0; i < count; i++) {
    if (causes[i].share < worth_a_line)
      rest += causes[i].share;
    else
      print_cause(&table, &causes[i]);
  }
  if (rest > 0) print_cause(&table, &(Cause){.share = rest, .label = "others"});
  fprintf(file, "\n  where the time goes\n");
  text_table_print(&table, file, 4);
  text_table_clear(&table);
}

static void print_what_ifs(Explanation *explanation, uint32_t k, FILE *file) {
  static const char *const columns[] = {"what if", ">cycles", ">speed-up", "option", NULL};
  const WhatIfs *list = &explanation->what_ifs;
  TextTable table = {0};
  bool has_any = false;
  text_table_init(&table, columns);
  for (size_t i = 0; i < list->count; i++) {
    const WhatIf *item = &list->items[i];
    if (!item->is_done || !(item->kernels >> k & 1)) continue;
    has_any = true;
    text_table_add(&table, "%s", item->title);
    text_table_add_count(&table, (uint64_t)item->cycles[k]);
    text_table_add(&table, "%.2f", what_if_gain(item, &explanation->facts, k));
    text_table_add(&table, "%s", what_if_option(item, &explanation->arena));
  }
  if (has_any) {
    fputc('\n', file);
    text_table_print(&table, file, 2);
  }
  text_table_clear(&table);
}

static void print_findings(const Findings *findings, FILE *file) {
  if (!findings->count) return;
  fprintf(file, "\n  what to do\n");
  for (size_t i = 0; i < findings->count; i++) {
    const Finding *finding = &findings->items[i];
    fprintf(file, "    %zu. %s\n       %s\n       %s %.2f times as fast (%s)\n", i + 1,
            finding->cause, finding->advice, finding->is_tried ? "tried:" : "up to", finding->gain,
            finding->measure);
  }
}

static void print_roofline(const Roofline *roof, FILE *file) {
  fprintf(file, "\n  of the peak: DRAM %.0f %%, L2 %.0f %%, issue slots %.0f %%, SP units %.0f %%",
          roof->dram * 100, roof->l2 * 100, roof->issue * 100, roof->fp32 * 100);
  if (roof->fp64 > 0.005) fprintf(file, ", DP units %.0f %%", roof->fp64 * 100);
  fputc('\n', file);
}

void explanation_print(Explanation *explanation, FILE *file) {
  for (uint32_t k = 0; k < explanation->kernel_count; k++) {
    const KernelFacts *kernel = &explanation->facts.kernels[k];
    Roofline roof = explain_roofline(&explanation->facts, kernel);
    if (k) fputc('\n', file);
    print_heading(kernel, file);
    fprintf(file, "  %s\n", explain_verdict(explanation, k));
    print_causes(explanation, kernel, file);
    print_what_ifs(explanation, k, file);
    print_findings(&explanation->findings[k], file);
    print_roofline(&roof, file);
    if (explanation->shows_source) explanation_print_source(explanation, k, file);
  }
  if (!explanation->kernel_count) fprintf(file, "no kernel was launched\n");
  if (explanation->failure) fprintf(file, "\nnot available: %s\n", explanation->failure);
  if (explanation->was_stopped) fprintf(file, "\nstopped: some what-ifs are missing\n");
}
