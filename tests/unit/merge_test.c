// SPDX-License-Identifier: MIT
// Merging stores: everything arrives, nothing twice, whatever was killed before,
// and ten thousand runs in little memory.
#include "store/merge.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/content.h"
#include "unit/store_support.h"

enum { PARTS = 100, RUNS_OF_PART = 100 };

typedef struct Fixture {
  char folder[64], into_path[96], part_path[96];
  Store *into, *part;
} Fixture;

static Store *open_store(const char *path) {
  Store *store;
  Error err;
  assert_int_equal(store_open(&store, path, STORE_WRITE, &err), OK);
  return store;
}

static int make(void **state) {
  Fixture *fixture = calloc(1, sizeof *fixture);
  strcpy(fixture->folder, "/tmp/heddle-merge-test-XXXXXX");
  assert_non_null(mkdtemp(fixture->folder));
  snprintf(fixture->into_path, sizeof fixture->into_path, "%s/into.db", fixture->folder);
  snprintf(fixture->part_path, sizeof fixture->part_path, "%s/a 'part'.db", fixture->folder);
  fixture->into = open_store(fixture->into_path);
  fixture->part = open_store(fixture->part_path);
  *state = fixture;
  return 0;
}

static int destroy(void **state) {
  Fixture *fixture = *state;
  char command[128];
  store_close(fixture->into);
  store_close(fixture->part);
  snprintf(command, sizeof command, "rm -rf '%s'", fixture->folder);
  assert_int_equal(system(command), 0);
  free(fixture);
  return 0;
}

// A result with a configuration, kernels and tables of its own.
static json_t *result_with(const char *counter, json_int_t value) {
  json_t *row = json_pack("{s:s, s:I}", "label", "r1", "misses", value);
  json_t *second = json_pack("{s:s, s:I}", "label", "r0", "misses", value + 1);
  json_t *total =
      json_pack("{s:I, s:f, s:[O,O]}", counter, value, "warp_ipc", 0.1, "accesses", row, second);
  json_t *kernel =
      json_pack("{s:s, s:I, s:[o,o]}", "name", "k", counter, value, "accesses", row, second);
  return json_pack("{s:b, s:s, s:{s:{s:I}}, s:o, s:[o], s:{s:I}, s:{s:s}, s:f, s:f}", "complete", 1,
                   "mode", "timing", "config", "gpu", "sm_count", value % 2, "total", total,
                   "kernels", kernel, "policies", "a.b", value, "sums", "C", "nan", "wall_seconds",
                   1.5, "cpu_seconds", 1.25);
}

static int64_t begin(Store *store, const char *job, const char *program) {
  Error err;
  int64_t run;
  RunLabels labels = {.job = job, .program = program, .settings = "l1d.size_kb=16"};
  assert_int_equal(store_begin_run(store, &labels, &run, &err), OK);
  return run;
}

static void put(Store *store, const char *job, const char *counter, json_int_t value) {
  Error err;
  int64_t run = begin(store, job, "p");
  json_t *result = result_with(counter, value);
  assert_int_equal(store_end_run(store, &run, result, NULL, NULL, &err), OK);
  json_decref(result);
}

static MergeCounts merge(Fixture *fixture, bool is_over) {
  Error err;
  MergeCounts counts;
  Status status = store_merge(fixture->into, fixture->part_path,
                              &(MergeOptions){.is_over = is_over}, &counts, &err);
  if (status != OK) fail_msg("%s", err.text);
  return counts;
}

static void everything_arrives_once(void **state) {
  Fixture *fixture = *state;
  put(fixture->into, "own", "cycles", 7);
  put(fixture->part, "a", "cycles", 10);
  put(fixture->part, "b", "new \"one\"", 11);
  for (int i = 0; i < 3; i++) {
    MergeCounts counts = merge(fixture, true);
    assert_int_equal(counts.runs, 2);
    assert_int_equal(counts.complete, i == 0 ? 2 : 0);
    assert_int_equal(counts.others, 0);
  }
  assert_answer(
      fixture->into, "select job, cycles, \"new \"\"one\"\"\", settings from results order by id",
      "[[\"own\",7,null,\"l1d.size_kb=16\"],[\"a\",10,null,\"l1d.size_kb=16\"],[\"b\",null,11,"
      "\"l1d.size_kb=16\"]]");
  assert_answer(fixture->into,
                "select job, k.cycles from kernels as k join runs on id = k.run where job = 'a'",
                "[[\"a\",10]]");
  // The configuration of value 11 is that of value 7.
  assert_answer(
      fixture->into,
      "select job, settings ->> '$.gpu.sm_count' from (select job, config from runs) join configs "
      "on configs.id = config order by job",
      "[[\"a\",0],[\"b\",1],[\"own\",1]]");
  assert_answer(fixture->into, "select count(*) from configs", "[[2]]");
  assert_answer(fixture->into,
                "select run, kernel, label, misses from accesses where run = 3 order by rowid",
                "[[3,null,\"r1\",11],[3,null,\"r0\",12],[3,0,\"r1\",11],[3,0,\"r0\",12]]");
  assert_answer(fixture->into, "select name, value from policy_counters where run = 2",
                "[[\"a.b\",10.0]]");
  assert_answer(fixture->into, "select value from sums where run = 2", "[[\"nan\"]]");
}

static void of_a_job_one_complete_run_stays(void **state) {
  Fixture *fixture = *state;
  put(fixture->into, "a", "cycles", 1);
  put(fixture->part, "a", "cycles", 1);
  put(fixture->part, NULL, "cycles", 2);
  assert_int_equal(merge(fixture, true).complete, 1);
  assert_int_equal(merge(fixture, true).complete, 0);
  assert_answer(fixture->into, "select job from runs order by id", "[[\"a\"],[null]]");
}

static void runs_under_way_become_lost_when_it_is_over(void **state) {
  Fixture *fixture = *state;
  begin(fixture->part, "a", "p");
  assert_int_equal(merge(fixture, false).others, 0);  // this process is there
  assert_int_equal(merge(fixture, true).others, 1);
  assert_int_equal(merge(fixture, true).others, 0);
  assert_answer(fixture->into, "select job, state, error from runs",
                "[[\"a\",\"lost\",\"its process was killed\"]]");
  // It had not ended after all.
  json_t *result = result_with("cycles", 5);
  int64_t run = 1;
  Error err;
  assert_int_equal(store_end_run(fixture->part, &run, result, NULL, NULL, &err), OK);
  json_decref(result);
  assert_int_equal(merge(fixture, true).complete, 1);
  assert_answer(fixture->into, "select job, state from runs", "[[\"a\",\"complete\"]]");
}

static void failed_runs_are_kept_too(void **state) {
  Fixture *fixture = *state;
  Error err;
  int64_t run = begin(fixture->part, "a", "p");
  assert_int_equal(store_end_run(fixture->part, &run, NULL, NULL, "why", &err), OK);
  assert_int_equal(merge(fixture, true).others, 1);
  assert_int_equal(merge(fixture, true).others, 0);
  assert_answer(fixture->into, "select job, state, error from runs",
                "[[\"a\",\"failed\",\"why\"]]");
}

static void studies_come_along(void **state) {
  Fixture *fixture = *state;
  Error err;
  StudyRun runs[] = {{"w", "g", "s", "a", NULL}, {"w", "g", "t", "b", "CLU"}};
  assert_int_equal(store_put_study(fixture->into, "one", "first", runs, 1, &err), OK);
  assert_int_equal(store_put_study(fixture->part, "one", "second", runs, 2, &err), OK);
  assert_int_equal(store_put_study(fixture->part, "two", "third", runs, 2, &err), OK);
  merge(fixture, true);
  merge(fixture, true);
  assert_answer(
      fixture->into,
      "select name, definition, count(*) from studies join study_runs on study = id group by "
      "name order by name",
      "[[\"one\",\"first\",1],[\"two\",\"third\",2]]");
  assert_answer(fixture->into,
                "select variant from study_runs join studies on study = id where name = 'two'",
                "[[null],[\"CLU\"]]");
}

// Of version 3, which had none.
static void a_store_without_variants_is_merged(void **state) {
  Fixture *fixture = *state;
  static const StudyRun runs[] = {{"w", "g", "s", "a", NULL}};
  RunLabels labels = {.job = "b", .program = "q", .variant = "agents"};
  Error err;
  sqlite3 *db;
  int64_t run;
  assert_int_equal(store_begin_run(fixture->into, &labels, &run, &err), OK);
  put(fixture->part, "a", "cycles", 1);
  assert_int_equal(store_put_study(fixture->part, "one", "text", runs, 1, &err), OK);
  assert_int_equal(sqlite3_open(fixture->part_path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db,
                                "alter table runs drop column variant; alter table study_runs drop "
                                "column variant; pragma user_version = 3",
                                NULL, NULL, NULL),
                   SQLITE_OK);
  sqlite3_close(db);
  assert_int_equal(merge(fixture, true).complete, 1);
  assert_answer(fixture->into, "select job, variant from runs order by job",
                "[[\"a\",null],[\"b\",\"agents\"]]");
  assert_answer(fixture->into, "select job, variant from study_runs", "[[\"a\",null]]");
  assert_int_equal(store_check(fixture->into, &err), OK);
}

static void expect_refusal(Fixture *fixture, const char *path, const char *part) {
  Error err;
  MergeCounts counts;
  assert_int_not_equal(
      store_merge(fixture->into, path, &(MergeOptions){.is_over = true}, &counts, &err), OK);
  if (!strstr(err.text, part)) fail_msg("'%s' is not in: %s", part, err.text);
  assert_int_equal(counts.complete, 0);
  assert_answer(fixture->into, "select count(*) from runs", "[[0]]");
}

static void what_is_no_store_is_refused(void **state) {
  Fixture *fixture = *state;
  char path[128];
  expect_refusal(fixture, "/nowhere/at all.db", "cannot open /nowhere/at all.db");
  expect_refusal(fixture, fixture->folder, "is not a file");
  expect_refusal(fixture, fixture->into_path, "into itself");
  snprintf(path, sizeof path, "%s/text", fixture->folder);
  FILE *file = fopen(path, "w");
  fprintf(file, "%01000d", 0);
  fclose(file);
  expect_refusal(fixture, path, ": not a Heddle store");
  snprintf(path, sizeof path, "%s/foreign", fixture->folder);
  sqlite3 *db;
  sqlite3_open(path, &db);
  sqlite3_exec(db, "create table t (a)", NULL, NULL, NULL);
  sqlite3_close(db);
  expect_refusal(fixture, path, ": not a Heddle store");
}

static void an_empty_store_has_nothing(void **state) {
  Fixture *fixture = *state;
  char path[128];
  Error err;
  MergeCounts counts;
  snprintf(path, sizeof path, "%s/empty", fixture->folder);
  fclose(fopen(path, "w"));
  assert_int_equal(store_merge(fixture->into, path, &(MergeOptions){true, true}, &counts, &err),
                   OK);
  assert_int_equal(counts.runs, 0);
  expect_refusal(fixture, path, "empty store, no runs recorded");
}

// Cut off at every page: damaged, or nothing of it is missing.
static void a_truncated_store_is_refused_whole(void **state) {
  Fixture *fixture = *state;
  for (int i = 0; i < 20; i++) {
    char job[8];
    snprintf(job, sizeof job, "j%d", i);
    put(fixture->part, job, "cycles", i);
  }
  struct stat file;
  assert_int_equal(stat(fixture->part_path, &file), 0);
  store_close(fixture->part);
  int refused = 0;
  for (off_t size = file.st_size - 1000; size > 0; size -= 4096) {
    Error err;
    MergeCounts counts;
    assert_int_equal(truncate(fixture->part_path, size), 0);
    Status status = store_merge(fixture->into, fixture->part_path, &(MergeOptions){.is_over = true},
                                &counts, &err);
    refused += status != OK;
    assert_answer(fixture->into, "select count(*) from runs", "[[0]]");
  }
  assert_true(refused >= 5);
  assert_int_equal(truncate(fixture->part_path, 0), 0);
  fixture->part = open_store(fixture->part_path);
}

static void a_hostile_table_name_is_refused(void **state) {
  Fixture *fixture = *state;
  sqlite3 *db;
  put(fixture->part, "a", "cycles", 1);
  assert_int_equal(sqlite3_open(fixture->part_path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, "insert into row_tables values ('studies')", NULL, NULL, NULL),
                   SQLITE_OK);
  sqlite3_close(db);
  expect_refusal(fixture, fixture->part_path, "'studies' is not a table of rows");
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static long peak_kb(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// One part with runs j0 to j99, to be renamed from part to part.
static void rename_jobs(Fixture *fixture, int part) {
  sqlite3 *db;
  char sql[128];
  assert_int_equal(sqlite3_open(fixture->part_path, &db), SQLITE_OK);
  snprintf(sql, sizeof sql, "update runs set job = 'j%d.' || id", part);
  assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
  Error err;
  Content *content;
  char digest[DIGEST_BYTES];
  assert_int_equal(store_begin(fixture->part, &err), OK);
  assert_int_equal(content_open(&content, fixture->part, "main", &err), OK);
  for (int64_t run = 1; run <= RUNS_OF_PART; run++) {
    assert_int_equal(content_of_run(content, run, digest, &err), OK);
    assert_int_equal(store_run(fixture->part, &err, "update runs set digest = ? where id = ?", "ti",
                               digest, run),
                     OK);
  }
  content_close(content);
  assert_int_equal(store_end(fixture->part, OK, &err), OK);
}

static void ten_thousand_runs_take_seconds_and_little_memory(void **state) {
  Fixture *fixture = *state;
  double seconds = 0;
  for (int i = 0; i < RUNS_OF_PART; i++) {
    char job[8];
    snprintf(job, sizeof job, "j%d", i);
    put(fixture->part, job, "cycles", i);
  }
  rename_jobs(fixture, 0);
  merge(fixture, true);
  long before = peak_kb();
  for (int part = 1; part < PARTS; part++) {
    rename_jobs(fixture, part);
    double start = seconds_now();
    assert_int_equal(merge(fixture, true).complete, RUNS_OF_PART);
    seconds += seconds_now() - start;
  }
  assert_answer(fixture->into, "select count(*), count(distinct job) from runs", "[[10000,10000]]");
  print_message("10,000 runs: %.1f s, %ld KB more\n", seconds, peak_kb() - before);
  assert_true(seconds < 60);
  assert_true(peak_kb() - before < 16 << 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(everything_arrives_once, make, destroy),
      cmocka_unit_test_setup_teardown(of_a_job_one_complete_run_stays, make, destroy),
      cmocka_unit_test_setup_teardown(runs_under_way_become_lost_when_it_is_over, make, destroy),
      cmocka_unit_test_setup_teardown(failed_runs_are_kept_too, make, destroy),
      cmocka_unit_test_setup_teardown(studies_come_along, make, destroy),
      cmocka_unit_test_setup_teardown(a_store_without_variants_is_merged, make, destroy),
      cmocka_unit_test_setup_teardown(what_is_no_store_is_refused, make, destroy),
      cmocka_unit_test_setup_teardown(an_empty_store_has_nothing, make, destroy),
      cmocka_unit_test_setup_teardown(a_truncated_store_is_refused_whole, make, destroy),
      cmocka_unit_test_setup_teardown(a_hostile_table_name_is_refused, make, destroy),
      cmocka_unit_test_setup_teardown(ten_thousand_runs_take_seconds_and_little_memory, make,
                                      destroy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
