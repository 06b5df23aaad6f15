// SPDX-License-Identifier: MIT
// heddle export: tables of a store for other programs. CSV holds one table, by
// default one line per run; JSON holds all tables, each a list of objects.
#include <string.h>

#include "base/files/replaced_file.h"
#include "cli/arguments.h"
#include "store/rows_print.h"

static Status export_table(Store *store, const char *name, RowsFormat format, FILE *file,
                           Error *err) {
  Arena arena = {0};
  RowsPrinter printer = {.file = file, .format = format};
  if (strpbrk(name, "\"") || !store_has_table(store, name))
    return error_set(err, ERR_USAGE, "the store has no table '%.80s' (docs/store.md)", name);
  const char *sql = arena_printf(&arena, "select * from \"%s\"", name);
  Status status = store_query(store, sql, rows_print, &printer, err);
  if (status == OK) rows_print_finish(&printer);
  arena_clear(&arena);
  return status;
}

static Status export_all(Store *store, FILE *file, Error *err) {
  json_t *names, *row;
  size_t i;
  Status status = OK;
  TRY(store_select(store, &names, err,
                   "select name from sqlite_schema where type = 'table' and name not like "
                   "'sqlite_%' order by rowid",
                   ""));
  fputc('{', file);
  json_array_foreach(json_object_get(names, "rows"), i, row) {
    const char *name = json_string_value(json_array_get(row, 0));
    fprintf(file, "%s\n\"%s\": ", i ? "," : "", name);
    status = export_table(store, name, ROWS_JSON, file, err);
    if (status != OK) break;
  }
  fputs("\n}\n", file);
  json_decref(names);
  return status;
}

static Status write_out(const Arguments *arguments, Store *store, FILE *file, Error *err) {
  const char *table = arguments_value(arguments, "--table", NULL);
  if (arguments_has(arguments, "--csv"))
    return export_table(store, table ? table : "results", ROWS_CSV, file, err);
  if (!table) return export_all(store, file, err);
  TRY(export_table(store, table, ROWS_JSON, file, err));
  fputc('\n', file);
  return OK;
}

static Status write_to(const Arguments *arguments, Store *store, Error *err) {
  const char *path = arguments_value(arguments, "--output", "-");
  ReplacedFile out;
  TRY(replaced_file_begin(&out, path, err));
  Status status = write_out(arguments, store, out.file, err);
  if (status == ERR_IO) error_prefix(err, "%s", path);
  return replaced_file_end(&out, status, err);
}

static Status run_export(const Arguments *arguments, Error *err) {
  Store *store;
  if (arguments_has(arguments, "--csv") == arguments_has(arguments, "--json"))
    return error_set(err, ERR_USAGE, "no format given: --csv or --json");
  TRY(store_open(&store, arguments->operands[0], STORE_READ, err));
  Status status = store_check(store, err);
  if (status == OK) status = write_to(arguments, store, err);
  store_close(store);
  return status;
}

static const CliOption export_options[] = {
    {"--csv", NULL, "one table as CSV"},
    {"--json", NULL, "the whole store as JSON, or one table"},
    {"--table", "NAME",
     "table to write (docs/store.md); default for CSV: results, one line per run"},
    {"--output", "FILE", "output file (or -o FILE); default - is standard output"},
    {0}};

const Verb export_verb = {.name = "export",
                          .summary = "exports tables of a store",
                          .operands = "DB",
                          .options = export_options,
                          .min_operands = 1,
                          .max_operands = 1,
                          .run = run_export};
