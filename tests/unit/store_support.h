// SPDX-License-Identifier: MIT
// What a test asks of a store.
#ifndef TESTS_UNIT_STORE_SUPPORT_H
#define TESTS_UNIT_STORE_SUPPORT_H

#include <stdlib.h>

#include "store/store.h"
#include "unit/cmocka_all.h"

// Rows of an answer as one text: [[1,"a"]]
static inline void assert_answer(Store *store, const char *sql, const char *expected) {
  Error err;
  json_t *table;
  assert_int_equal(store_select(store, &table, &err, sql, ""), OK);
  char *text = json_dumps(json_object_get(table, "rows"), JSON_COMPACT);
  assert_string_equal(text, expected);
  free(text);
  json_decref(table);
}

#endif
