// SPDX-License-Identifier: MIT
// Random results of a run, which a program that we did not write hands to us:
// into a store and out of it as a report, as a trace, as GPGPU-Sim's text.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_store.h"
#include "report/gpgpusim_text.h"
#include "report/trace_events.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static Status put(Store *store, const json_t *result, Error *err) {
  int64_t run;
  RunLabels labels = {.job = "j", .program = "a", .gpu = "tiny", .scheme = "gto"};
  Status status = store_begin_run(store, &labels, &run, err);
  return status == OK ? store_end_run(store, &run, result, NULL, NULL, err) : status;
}

static void through_a_store(const json_t *result) {
  Store *store;
  Error err = {0};
  if (store_open(&store, ":memory:", STORE_WRITE, &err) != OK) abort();
  check(put(store, result, &err), &err);
  report(store);
  store_close(store);
}

static void as_texts(const json_t *result) {
  FILE *nowhere = fopen("/dev/null", "w");
  if (!nowhere) abort();
  gpgpusim_text(result, NULL, nowhere, NULL);
  fclose(nowhere);
  json_decref(trace_events(result));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  json_t *result = json_loadb((const char *)data, size, JSON_ALLOW_NUL, NULL);
  if (!result) return 0;
  through_a_store(result);
  as_texts(result);
  json_decref(result);
  return 0;
}
