// SPDX-License-Identifier: MIT
// What fuzzers of stores have in common.
#ifndef FUZZ_FUZZ_STORE_H
#define FUZZ_FUZZ_STORE_H

#include <stdlib.h>

#include "store/store.h"
#include "study/report/report_data.h"

// An error says what is wrong.
static inline void check(Status status, const Error *err) {
  if (status != OK && !err->text[0]) abort();
}

// Makes a report of all that is in the store.
static inline void report(Store *store) {
  Error err = {0};
  json_t *data = NULL, *meanings = json_object();
  Status status = report_data(store, &(ReportOptions){.meanings = meanings}, &data, &err);
  check(status, &err);
  if (status == OK) json_decref(data);
  json_decref(meanings);
}

#endif
