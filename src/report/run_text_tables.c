// SPDX-License-Identifier: MIT
// Short tables for the text report, of any policy or observer.
#include <string.h>

#include "base/text/text_table.h"
#include "report/run_text.h"

static void add_cell(TextTable *text, const Stat *stat, const void *row) {
  double ratio;
  if (!stat->is_ratio)
    text_table_add_count(text, stat_count(stat, row));
  else if (!stat_ratio(stat, row, &ratio))
    text_table_add(text, "-");
  else if (ratio < 1000)
    text_table_add(text, "%.4g", ratio);
  else
    text_table_add_count(text, (uint64_t)(ratio + 0.5));
}

static void add_label(TextTable *text, const RowLabel *label, const void *row) {
  const char *value = row_label_text(label, row);
  text_table_add(text, "%s", value ? value : "-");
}

static void add_row(TextTable *text, const ResultTable *table, uint32_t i) {
  const void *row = result_table_row(table, i);
  for (const RowLabel *label = table->type->labels; label && label->name; label++)
    add_label(text, label, row);
  for (const Stat *stat = table->type->columns; stat->name; stat++) add_cell(text, stat, row);
}

// Headings as text_table_init wants them, texts to the left and numbers to the
// right. It keeps the pointers, so they live as long as the table.
typedef struct Headings {
  char names[TEXT_TABLE_COLUMNS][64];
  const char *list[TEXT_TABLE_COLUMNS + 1];
  uint32_t count;
} Headings;

static void add_heading(Headings *headings, const char *mark, const char *name) {
  if (headings->count == TEXT_TABLE_COLUMNS) return;
  char *to = headings->names[headings->count];
  snprintf(to, sizeof headings->names[0], "%s%s", mark, name);
  headings->list[headings->count++] = to;
}

static void begin_rows(TextTable *text, Headings *headings, const ResultTableType *type,
                       const char *first) {
  *headings = (Headings){0};
  if (first) add_heading(headings, "", first);
  for (const RowLabel *label = type->labels; label && label->name; label++)
    add_heading(headings, "", label->name);
  for (const Stat *stat = type->columns; stat->name; stat++) add_heading(headings, ">", stat->name);
  text_table_init(text, headings->list);
}

// A single row reads better from top to bottom.
static void print_single(const ResultTable *table, FILE *file) {
  const void *row = result_table_row(table, 0);
  TextTable text;
  text_table_init(&text, (const char *const[]){"", ">", NULL});
  for (const RowLabel *label = table->type->labels; label && label->name; label++) {
    text_table_add(&text, "%s", label->name);
    add_label(&text, label, row);
  }
  for (const Stat *stat = table->type->columns; stat->name; stat++) {
    text_table_add(&text, "%s", stat->name);
    add_cell(&text, stat, row);
  }
  text_table_print(&text, file, 4);
  text_table_clear(&text);
}

static void print_rows(const ResultTable *table, FILE *file) {
  TextTable text;
  Headings headings;
  begin_rows(&text, &headings, table->type, NULL);
  for (uint32_t i = 0; i < table->row_count; i++) add_row(&text, table, i);
  text_table_print(&text, file, 4);
  text_table_clear(&text);
}

void run_text_tables(const ResultTables *tables, FILE *file) {
  for (uint32_t i = 0; i < tables->count; i++) {
    const ResultTable *table = &tables->items[i];
    if (!table->type->in_text || !table->row_count) continue;
    fprintf(file, "\n  %s\n", table->type->summary);
    if (table->row_count == 1)
      print_single(table, file);
    else
      print_rows(table, file);
  }
}

static void print_kernel_rows(const RunResult *result, uint32_t kernels,
                              const ResultTableType *type, FILE *file) {
  TextTable text;
  Headings headings;
  begin_rows(&text, &headings, type, "kernel");
  for (uint32_t k = 0; k < kernels; k++) {
    const KernelResult *kernel = &result->kernels[k];
    const ResultTable *table = result_tables_find(&kernel->tables, type->name);
    if (!table || !table->row_count) continue;
    text_table_add(&text, "%s", kernel->title);
    add_row(&text, table, 0);
  }
  fprintf(file, "\n  %s\n", type->summary);
  text_table_print(&text, file, 2);
  text_table_clear(&text);
}

// The first kernel that has a table of some type names it for all.
static bool is_first(const RunResult *result, uint32_t kernel, const ResultTableType *type) {
  for (uint32_t k = 0; k < kernel; k++)
    if (result_tables_find(&result->kernels[k].tables, type->name)) return false;
  return true;
}

void run_text_kernel_rows(const RunResult *result, uint32_t kernels, FILE *file) {
  for (uint32_t k = 0; k < kernels; k++) {
    const ResultTables *tables = &result->kernels[k].tables;
    for (uint32_t i = 0; i < tables->count; i++) {
      const ResultTable *table = &tables->items[i];
      bool is_wanted = table->type->in_text && table->row_count == 1;
      if (is_wanted && is_first(result, k, table->type))
        print_kernel_rows(result, kernels, table->type, file);
    }
  }
}
