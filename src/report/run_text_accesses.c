// SPDX-License-Identifier: MIT
// The accesses that cost most issue slots: what to change in a kernel, in a few
// lines. Rows come sorted (observers/accesses/accesses.c).
#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/text/text_table.h"
#include "report/run_text.h"

// slots: of schedulers with a resident warp ("occupied"). Those without depend on the launch and
// the grid, which no access can be blamed for.
enum { SHOWN_DEFAULT = 5 };

static uint64_t cell_of(const ResultTable *table, const void *row, const char *name) {
  const Stat *stat = stats_find(table->type->columns, name);
  assert(stat && !stat->is_ratio);
  return stat_count(stat, row);
}

static const char *label_of(const ResultTable *table, const void *row, const char *name) {
  for (const RowLabel *label = table->type->labels; label->name; label++)
    if (strcmp(label->name, name) == 0) return row_label_text(label, row);
  return NULL;
}

// Parameters of kernels are constants that every warp loads, mostly from the cache.
static bool is_worth_a_line(const ResultTable *table, const void *row, double slots) {
  const char *space = label_of(table, row, "space");
  bool is_constant = space && strcmp(space, "const") == 0;
  return !is_constant || (double)cell_of(table, row, "slots") > slots / 100;
}

static bool same_label(const ResultTable *table, const void *a, const void *b, const char *name) {
  const char *x = label_of(table, a, name), *y = label_of(table, b, name);
  return x && y ? strcmp(x, y) == 0 : x == y;
}

// Whether the line accesses the same array in the same way more than once.
static bool needs_column(const ResultTable *table, const void *row) {
  static const char *const names[] = {"source", "kind", "space", "array", NULL};
  for (uint32_t i = 0; i < table->row_count; i++) {
    const void *other = result_table_row(table, i);
    bool is_alike = other != row;
    for (uint32_t k = 0; is_alike && names[k]; k++)
      is_alike = same_label(table, row, other, names[k]);
    if (is_alike) return cell_of(table, row, "column");
  }
  return false;
}

static void add_place(TextTable *text, const ResultTable *table, const void *row) {
  const char *source = label_of(table, row, "source"), *slash;
  if (source && (slash = strrchr(source, '/'))) source = slash + 1;
  if (source && needs_column(table, row))
    text_table_add(text, "%s:%llu", source, (unsigned long long)cell_of(table, row, "column"));
  else if (source)
    text_table_add(text, "%s", source);
  else
    text_table_add(text, "PTX line %llu", (unsigned long long)cell_of(table, row, "line"));
}

// A number per execution, or nothing where it has no meaning.
static void add_mean(TextTable *text, double sum, double count, const char *format) {
  char number[32] = "";
  if (count > 0) snprintf(number, sizeof number, format, sum / count);
  text_table_add(text, "%s", number);
}

// The rows that are shown, and how many more there are.
typedef struct Picked {
  const ResultTable *table;
  const void **rows;
  uint32_t count, left_out;
  bool has_conflicts, has_arrays, lacks_lines;
} Picked;

static void add_access(TextTable *text, const Picked *picked, const void *row, double slots) {
  const ResultTable *table = picked->table;
#define CELL(name) ((double)cell_of(table, row, name))
  const char *mostly = label_of(table, row, "mostly");
  unsigned long long copies = cell_of(table, row, "instructions");
  char times[32] = "";
  if (copies > 1) snprintf(times, sizeof times, " x %llu", copies);
  text_table_add(text, "%s %s%s", label_of(table, row, "space"), label_of(table, row, "kind"),
                 times);
  const char *array = label_of(table, row, "array");
  if (picked->has_arrays) text_table_add(text, "%s", array ? array : "");
  add_place(text, table, row);
  text_table_add_count(text, cell_of(table, row, "executions"));
  add_mean(text, CELL("transactions"), CELL("executions"), "%.1f");
  add_mean(text, CELL("ideal_transactions"), CELL("executions"), "%.1f");
  double lookups = CELL("hits") + CELL("merges") + CELL("misses") + CELL("bypasses");
  add_mean(text, CELL("hits") * 100, lookups, "%.1f %%");
  const char *space = label_of(table, row, "space");
  bool is_shared = space && strcmp(space, "shared") == 0;
  if (picked->has_conflicts)
    add_mean(text, CELL("bank_conflict_cycles"), is_shared ? CELL("executions") : 0, "%.1f");
  add_mean(text, CELL("latency_cycles"), CELL("loads_done"), "%.0f");
  text_table_add_count(text, cell_of(table, row, "slots"));
  add_mean(text, CELL("slots") * 100, slots, "%.1f %%");
  text_table_add(text, "%s", mostly ? mostly : "");
#undef CELL
}

// wanted: requested rows; 0: the default, without negligible rows.
static Picked pick_rows(const ResultTable *table, uint32_t wanted, double slots) {
  Picked picked = {.table = table};
  uint32_t most = wanted ? wanted : SHOWN_DEFAULT;
  picked.rows = memory_alloc(sizeof *picked.rows * (table->row_count + 1));
  for (uint32_t i = 0; i < table->row_count; i++) {
    const void *row = result_table_row(table, i);
    bool is_shown = wanted || is_worth_a_line(table, row, slots);
    if (!is_shown || picked.count == most) {
      picked.left_out++;
      continue;
    }
    picked.rows[picked.count++] = row;
    picked.has_conflicts |= cell_of(table, row, "bank_conflict_cycles") > 0;
    picked.has_arrays |= label_of(table, row, "array") != NULL;
    picked.lacks_lines |= !label_of(table, row, "source");
  }
  return picked;
}

static void print_rows(const Picked *picked, double slots, FILE *file) {
  const char *headings[16];
  uint32_t count = 0;
  headings[count++] = "most expensive accesses";
  if (picked->has_arrays) headings[count++] = "array";
  headings[count++] = "at";
  headings[count++] = ">executions";
  headings[count++] = ">transactions";
  headings[count++] = ">ideal";
  headings[count++] = ">hits";
  if (picked->has_conflicts) headings[count++] = ">conflicts";
  headings[count++] = ">latency";
  headings[count++] = ">slots lost";
  headings[count++] = ">share of occupied";
  headings[count++] = "mostly to";
  headings[count] = NULL;
  TextTable text;
  text_table_init(&text, headings);
  for (uint32_t i = 0; i < picked->count; i++) add_access(&text, picked, picked->rows[i], slots);
  fputc('\n', file);
  text_table_print(&text, file, 2);
  text_table_clear(&text);
  if (picked->left_out)
    fprintf(file, "  (%u more: --accesses %u)\n", picked->left_out,
            picked->count + picked->left_out);
}

bool run_text_accesses(const RunResult *result, const ResultTables *tables, double slots,
                       FILE *file) {
  const ResultTable *table = result_tables_find(tables, "accesses");
  if (!table) return false;
  Picked picked = pick_rows(table, result->shown_accesses, slots);
  if (picked.count) print_rows(&picked, slots, file);
  memory_free(picked.rows);
  return picked.lacks_lines;
}
