// SPDX-License-Identifier: MIT
// Prints rows of a store as an aligned table, CSV or JSON.
#include "store/rows_print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/json_text.h"

// ---- a table; with too many columns for a screen, one block per row

static bool is_wide(const StoreRow *row) {
  enum { MOST_COLUMNS = 20 };
  return row->count > MOST_COLUMNS;
}

static void start_table(RowsPrinter *printer, const StoreRow *row) {
  const char *columns[TEXT_TABLE_COLUMNS + 1] = {"", "", NULL};
  for (int i = 0; i < row->count && !is_wide(row); i++) {
    columns[i] = arena_strdup(&printer->arena, row->columns[i]);
    columns[i + 1] = NULL;
  }
  text_table_init(&printer->table, columns);
}

static void print_block(RowsPrinter *printer, const StoreRow *row) {
  if (printer->count) fputc('\n', printer->file);
  for (int i = 0; i < row->count; i++) {
    text_table_add(&printer->table, "%s", row->columns[i]);
    text_table_add(&printer->table, "%s", row->texts[i] ? row->texts[i] : "-");
  }
  text_table_print(&printer->table, printer->file, 0);
  text_table_clear(&printer->table);
  start_table(printer, row);
}

static void print_table(RowsPrinter *printer, const StoreRow *row) {
  if (!row->texts)
    start_table(printer, row);
  else if (is_wide(row))
    print_block(printer, row);
  else
    for (int i = 0; i < row->count; i++)
      text_table_add(&printer->table, "%s", row->texts[i] ? row->texts[i] : "-");
}

// ---- CSV: fields with commas, quotes or line ends are quoted

static void print_field(FILE *file, const char *text) {
  if (!text) return;
  if (!strpbrk(text, ",\"\r\n")) {
    fputs(text, file);
    return;
  }
  fputc('"', file);
  for (; *text; text++) {
    if (*text == '"') fputc('"', file);
    fputc(*text, file);
  }
  fputc('"', file);
}

static void print_csv(const RowsPrinter *printer, const StoreRow *row) {
  for (int i = 0; i < row->count; i++) {
    if (i) fputc(',', printer->file);
    print_field(printer->file, row->texts ? row->texts[i] : row->columns[i]);
  }
  fputc('\n', printer->file);
}

// ---- JSON: a list of objects

static void print_text(FILE *file, const char *text) {
  json_t *string = json_text(text);
  char *dumped = json_dumps(string, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
  fputs(dumped, file);
  free(dumped);
  json_decref(string);
}

static void print_json(const RowsPrinter *printer, const StoreRow *row) {
  FILE *file = printer->file;
  if (!row->texts) {
    fputc('[', file);
    return;
  }
  fputs(printer->count ? ",\n{" : "\n{", file);
  for (int i = 0; i < row->count; i++) {
    const char *text = row->texts[i];
    if (i) fputs(", ", file);
    print_text(file, row->columns[i]);
    fputs(": ", file);
    // JSON has no Inf.
    if (!text || (row->is_number[i] && strpbrk(text, "In")))
      fputs("null", file);
    else if (row->is_number[i])
      fputs(text, file);
    else
      print_text(file, text);
  }
  fputc('}', file);
}

Status rows_print(void *self, const StoreRow *row, Error *err) {
  RowsPrinter *printer = self;
  if (printer->format == ROWS_TABLE)
    print_table(printer, row);
  else if (printer->format == ROWS_CSV)
    print_csv(printer, row);
  else
    print_json(printer, row);
  printer->count += row->texts != NULL;
  return ferror(printer->file)
             ? error_set(err, ERR_IO, "cannot write the output: %s", strerror(errno))
             : OK;
}

void rows_print_finish(RowsPrinter *printer) {
  if (printer->format == ROWS_TABLE) text_table_print(&printer->table, printer->file, 0);
  if (printer->format == ROWS_JSON) fputs(printer->count ? "\n]" : "]", printer->file);
  text_table_clear(&printer->table);
  arena_clear(&printer->arena);
}
