// SPDX-License-Identifier: MIT
// Tables of results: rows are structs, and a description names their fields, so that one writer
// serves text, JSON and listings.
#include "base/result_table.h"

#include <string.h>

#include "base/text/json_text.h"
#include "base/memory.h"

static const char **label_at(const RowLabel *label, void *row) {
  return (const char **)(void *)((unsigned char *)row + label->offset);
}

const char *row_label_text(const RowLabel *label, const void *row) {
  const char *text;
  memcpy(&text, (const unsigned char *)row + label->offset, sizeof text);
  return text;
}

static void copy_labels(ResultTables *tables, const ResultTable *table) {
  const ResultTableType *type = table->type;
  for (const RowLabel *label = type->labels; label && label->name; label++)
    for (uint32_t i = 0; i < table->row_count; i++) {
      const char **text = label_at(label, (unsigned char *)table->rows + i * type->row_bytes);
      if (*text) *text = arena_strdup(&tables->arena, *text);
    }
}

void result_tables_add(ResultTables *tables, const ResultTableType *type, const void *rows,
                       uint32_t row_count) {
  GROW(tables->items, tables->count, tables->capacity);
  ResultTable *table = &tables->items[tables->count++];
  size_t bytes = type->row_bytes * row_count;
  *table = (ResultTable){.type = type, .row_count = row_count};
  table->rows = arena_alloc(&tables->arena, bytes + 1);
  if (bytes) memcpy(table->rows, rows, bytes);
  copy_labels(tables, table);
}

void result_tables_clear(ResultTables *tables) {
  memory_free(tables->items);
  arena_clear(&tables->arena);
  *tables = (ResultTables){0};
}

const ResultTable *result_tables_find(const ResultTables *tables, const char *name) {
  for (uint32_t i = 0; i < tables->count; i++)
    if (strcmp(tables->items[i].type->name, name) == 0) return &tables->items[i];
  return NULL;
}

static json_t *row_json(const ResultTableType *type, const void *row) {
  json_t *object = json_object();
  for (const RowLabel *label = type->labels; label && label->name; label++) {
    const char *text = row_label_text(label, row);
    json_object_set_new(object, label->name, json_text(text));
  }
  json_object_update_new(object, stats_json(type->columns, row));
  return object;
}

void result_tables_json(json_t *object, const ResultTables *tables) {
  for (uint32_t t = 0; t < tables->count; t++) {
    const ResultTable *table = &tables->items[t];
    json_t *rows = json_array();
    for (uint32_t i = 0; i < table->row_count; i++)
      json_array_append_new(rows, row_json(table->type, result_table_row(table, i)));
    json_object_set_new(object, table->type->name, rows);
  }
}
