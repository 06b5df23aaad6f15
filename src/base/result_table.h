// SPDX-License-Identifier: MIT
// Tables of results: rows are structs, and a description names their fields, so that
// one writer serves text, JSON and listings.
//
//   typedef struct LoadRow { const char *text; uint64_t line, executions; } LoadRow;
//
// A row starts with its labels (texts), followed by uint64_t keys and counters. Ratios
// are computed on print, as in base/stats.h.
#ifndef BASE_RESULT_TABLE_H
#define BASE_RESULT_TABLE_H

#include "base/arena.h"
#include "base/stats.h"

typedef struct RowLabel {
  const char *name, *help;
  size_t offset;  // of a const char * in the row; NULL there means unknown
} RowLabel;

#ifdef __cplusplus
#define ROW_LABEL_OFFSET_(Struct, field) offsetof(Struct, field)
#else
#define ROW_LABEL_OFFSET_(Struct, field) \
  _Generic(((Struct *)0)->field, const char *: offsetof(Struct, field))
#endif
#define ROW_LABEL(Struct, field, help_) \
  { .name = #field, .help = (help_), .offset = ROW_LABEL_OFFSET_(Struct, field) }

typedef struct ResultTableType {
  const char *name, *summary;  // the name is the key in JSON
  const RowLabel *labels;      // ends with {0}; or NULL
  const Stat *columns;         // ends with {0}
  size_t row_bytes;
  bool in_text;                // short enough for the report for people, too
} ResultTableType;

typedef struct ResultTable {
  const ResultTableType *type;
  void *rows;
  uint32_t row_count;
} ResultTable;

// The tables of one kernel or of a whole run. Zeroed, it is empty and ready.
typedef struct ResultTables {
  ResultTable *items;
  uint32_t count, capacity;
  Arena arena;  // rows and labels
} ResultTables;

C_DECLARATIONS_BEGIN
// Adds a table with copies of rows and of their labels.
void result_tables_add(ResultTables *tables, const ResultTableType *type, const void *rows,
                       uint32_t row_count);
void result_tables_clear(ResultTables *tables);
// NULL if there is none of that name.
const ResultTable *result_tables_find(const ResultTables *tables, const char *name);
C_DECLARATIONS_END

static inline const void *result_table_row(const ResultTable *table, uint32_t i) {
  return (const unsigned char *)table->rows + i * table->type->row_bytes;
}
const char *row_label_text(const RowLabel *label, const void *row);  // NULL: unknown

// {"name": [{"column": value}]} for every table, into object.
void result_tables_json(json_t *object, const ResultTables *tables);

#endif
