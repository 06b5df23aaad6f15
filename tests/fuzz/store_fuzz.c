// SPDX-License-Identifier: MIT
// Damaged stores: reading one gives rows or a clear error, writing into it too. What merges
// is what was there before the damage.
//
// The input says what is done to a sound store: one byte, how many 256ths of it
// are cut off; then for each four bytes a place (three of them) and what is there.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "fuzz_store.h"
#include "store/merge.h"
#include "study/runs_study.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LIMIT_BYTES = 1 << 22 };

static const char result_text[] =
    "{\"version\": \"0\", \"mode\": \"timing\", \"complete\": true, \"scheme\": \"gto\","
    " \"config\": {\"gpu\": {\"name\": \"tiny\", \"sm_count\": 2}},"
    " \"total\": {\"cycles\": 100, \"warp_instructions\": 5, \"ipc\": 0.05},"
    " \"kernels\": [{\"name\": \"k\", \"grid\": [1, 1, 1], \"block\": [32, 1, 1], \"cycles\": "
    "100}],"
    " \"accesses\": [{\"pc\": 8, \"executions\": 3}], \"sums\": {\"A\": 1.5}}";
static const char study_text[] =
    "[study]\nworkloads = a\ngpus = tiny\nschemes = gto\nsweep = gpu.sm_count=2\n"
    "[figure cycles]\nstatistic = cycles\nrows = gpu.sm_count\n";

static char path[] = "/tmp/heddle-store-fuzz-XXXXXX";

static void remove_file(void) {
  unlink(path);
}

static Status add_run(Store *store, Error *err) {
  int64_t run;
  json_t *result = json_loads(result_text, 0, NULL);
  RunLabels labels = {.job = "j", .program = "a", .gpu = "tiny", .scheme = "gto"};
  Status status = store_begin_run(store, &labels, &run, err);
  if (status == OK) status = store_end_run(store, &run, result, NULL, NULL, err);
  json_decref(result);
  return status;
}

static void make_store(char **bytes, size_t *length) {
  Store *store;
  Error err;
  StudyRun run = {"a", "tiny", "gto", "j", NULL};
  int file = mkstemp(path);
  if (file < 0) abort();
  close(file);
  atexit(remove_file);
  if (store_open(&store, path, STORE_WRITE, &err) != OK || add_run(store, &err) != OK ||
      store_put_study(store, "s", study_text, &run, 1, &err) != OK)
    abort();
  store_close(store);
  if (file_read(path, LIMIT_BYTES, bytes, length, &err) != OK) abort();
}

static void write_damaged(const char *bytes, size_t length, const uint8_t *data, size_t size) {
  char *damaged = memory_alloc(length);
  memcpy(damaged, bytes, length);
  size_t kept = length - length / 256 * (size ? data[0] : 0);
  for (size_t i = 1; i + 4 <= size; i += 4)
    damaged[(data[i] | (size_t)data[i + 1] << 8 | (size_t)data[i + 2] << 16) % length] =
        (char)data[i + 3];
  FILE *file = fopen(path, "w");
  if (!file || fwrite(damaged, 1, kept, file) != kept || fclose(file) != 0) abort();
  memory_free(damaged);
}

static Status ignore(void *self, const StoreRow *row, Error *err) {
  (void)self, (void)row, (void)err;
  return OK;
}

// As heddle figure reads single runs.
static void draw_runs(Store *store) {
  const char *const parameters[] = {"gpu.sm_count"}, *names[] = {"cycles"};
  FigureNames statistics = {names, 1, 1};
  Study study;
  Error err = {0};
  json_t *rows = NULL, *figures = NULL;
  const FigureKey keys[] = {{"rows", "gpu.sm_count"}, {0}};
  Status status = runs_study_read(&study, store, parameters, 1, &err);
  check(status, &err);
  if (status != OK) return;
  status = study_add_figure(&study, "f", keys, &err);
  if (status == OK) status = runs_study_rows(&study, store, &statistics, &rows, &err);
  if (status == OK) status = figures_make(&study, rows, &statistics, &figures, &err);
  check(status, &err);
  json_decref(rows);
  json_decref(figures);
  study_clear(&study);
}

static void read_store(Store *store) {
  Error err = {0};
  report(store);
  draw_runs(store);
  check(store_query(store, "select * from results", ignore, NULL, &err), &err);
  err.text[0] = '\0';
  check(store_query(store, "select * from kernels, accesses, studies", ignore, NULL, &err), &err);
}

static Status expect_cycles(void *self, const StoreRow *row, Error *err) {
  (void)self, (void)err;
  if (row->texts && (!row->texts[0] || strcmp(row->texts[0], "100 0.05 k a gto") != 0)) abort();
  return OK;
}

static void merge(void) {
  Store *store;
  Error err = {0};
  MergeCounts counts;
  if (store_open(&store, ":memory:", STORE_WRITE, &err) != OK) abort();
  Status status = store_merge(store, path, &(MergeOptions){.is_over = true}, &counts, &err);
  check(status, &err);
  if (status == OK && counts.complete)
    status = store_query(store,
                         "select format('%d %.2f %s %s %s', t.cycles, t.ipc, k.name, r.program, "
                         "r.scheme) from runs as r join totals as t on t.run = r.id join kernels "
                         "as k on k.run = r.id",
                         expect_cycles, NULL, &err);
  check(status, &err);
  store_close(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char *bytes;
  static size_t length;
  Store *store;
  Error err = {0};
  if (!bytes) make_store(&bytes, &length);
  write_damaged(bytes, length, data, size);
  merge();
  Status status = store_open(&store, path, STORE_READ, &err);
  check(status, &err);
  if (status == OK) {
    read_store(store);
    store_close(store);
  }
  err.text[0] = '\0';
  status = store_open(&store, path, STORE_WRITE, &err);
  if (status == OK) {
    status = add_run(store, &err);
    store_close(store);
  }
  check(status, &err);
  return 0;
}
