// SPDX-License-Identifier: MIT
// What a completed run could not do as requested: --kernels selected no launch, or an observer
// could not write its file.
#include "device/process/complaint.h"

#include <string.h>

static const RowLabel *find_label(const ResultTableType *type, const char *name) {
  const RowLabel *label = type->labels;
  while (label && label->name && strcmp(label->name, name) != 0) label++;
  return label && label->name ? label : NULL;
}

// Observers that write a file have a row with its name and, if it failed, the problem.
static const char *table_problem(const ResultTable *table, Arena *arena) {
  const RowLabel *file = find_label(table->type, "file");
  const RowLabel *problem = find_label(table->type, "problem");
  for (uint32_t i = 0; file && problem && i < table->row_count; i++) {
    const char *text = row_label_text(problem, result_table_row(table, i));
    if (text && *text)
      return arena_printf(arena, "--observe %s: cannot write %s: %s", table->type->name,
                          row_label_text(file, result_table_row(table, i)), text);
  }
  return NULL;
}

static const char *unwritten_file(RunResult *result) {
  const char *text = NULL;
  for (uint32_t t = 0; t < result->tables.count && !text; t++)
    text = table_problem(&result->tables.items[t], &result->arena);
  return text;
}

void complaint_find(RunResult *result, const KernelChoice *choice,
                    const LaunchedKernels *launched) {
  bool selects_none = false;
  result->complaint = unwritten_file(result);
  result->complaint_status = result->complaint ? ERR_IO : OK;
  if (result->complaint || !choice) return;
  result->complaint = launched_kernels_unmatched(launched, choice, &selects_none, &result->arena);
  if (selects_none) result->complaint_status = ERR_USAGE;
}
