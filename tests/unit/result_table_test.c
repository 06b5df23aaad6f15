// SPDX-License-Identifier: MIT
// Result tables: copies of rows and labels, JSON.
#include "base/result_table.h"

#include <stdlib.h>
#include <string.h>

#include "unit/cmocka_all.h"

typedef struct Row {
  const char *name, *note;
  uint64_t parts, whole;
} Row;

static const RowLabel labels[] = {
    ROW_LABEL(Row, name, "its name"), ROW_LABEL(Row, note, "a note"), {0}};
static const Stat columns[] = {
    STAT_COUNT(Row, parts, "some"), STAT_RATIO(Row, share, parts, whole, "some of all"), {0}};
static const ResultTableType row_table = {.name = "rows",
                                          .summary = "for this test",
                                          .labels = labels,
                                          .columns = columns,
                                          .row_bytes = sizeof(Row)};
static const ResultTableType bare_table = {
    .name = "bare", .summary = "without labels", .columns = columns, .row_bytes = sizeof(Row)};

static void rows_and_labels_are_copied(void **state) {
  (void)state;
  ResultTables tables = {0};
  char name[] = "first";
  Row rows[] = {{name, NULL, 1, 4}, {"second", "n", 3, 0}};
  result_tables_add(&tables, &row_table, rows, 2);
  strcpy(name, "gone");
  rows[0].parts = 99;
  const ResultTable *table = result_tables_find(&tables, "rows");
  assert_string_equal(row_label_text(&labels[0], result_table_row(table, 0)), "first");
  assert_null(row_label_text(&labels[1], result_table_row(table, 0)));
  assert_int_equal(stat_count(&columns[0], result_table_row(table, 0)), 1);
  assert_int_equal(stat_count(&columns[0], result_table_row(table, 1)), 3);
  assert_null(result_tables_find(&tables, "none"));
  result_tables_clear(&tables);
  assert_int_equal(tables.count, 0);
}

static void json_has_an_object_a_row(void **state) {
  (void)state;
  ResultTables tables = {0};
  const Row rows[] = {{"a \"b\" \xff", NULL, 1, 4}, {NULL, "n", 3, 0}};
  result_tables_add(&tables, &row_table, rows, 1);
  result_tables_add(&tables, &bare_table, rows + 1, 1);
  result_tables_add(&tables, &bare_table, NULL, 0);
  json_t *object = json_object();
  result_tables_json(object, &tables);
  const json_t *row = json_array_get(json_object_get(object, "rows"), 0);
  assert_true(json_is_string(json_object_get(row, "name")));
  assert_true(json_is_null(json_object_get(row, "note")));
  assert_int_equal(json_integer_value(json_object_get(row, "parts")), 1);
  assert_true(json_real_value(json_object_get(row, "share")) == 0.25);
  assert_int_equal(json_array_size(json_object_get(object, "bare")), 0);  // the last of that name
  json_decref(object);
  result_tables_clear(&tables);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_and_labels_are_copied),
                                     cmocka_unit_test(json_has_an_object_a_row)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
