// SPDX-License-Identifier: MIT
// The store: what goes in comes out, columns that later runs bring, jobs, and
// ten thousand runs.
#include "store/store.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/digest.h"
#include "study/report/report_data.h"
#include "unit/store_support.h"

enum { MANY = 10000 };

typedef struct Fixture {
  char path[64];
  Store *store;
} Fixture;

static int make(void **state) {
  Fixture *fixture = calloc(1, sizeof *fixture);
  Error err;
  strcpy(fixture->path, "/tmp/heddle-store-test-XXXXXX");
  int file = mkstemp(fixture->path);
  assert_true(file >= 0);
  close(file);
  assert_int_equal(store_open(&fixture->store, fixture->path, STORE_WRITE, &err), OK);
  *state = fixture;
  return 0;
}

static int destroy(void **state) {
  Fixture *fixture = *state;
  store_close(fixture->store);
  unlink(fixture->path);
  free(fixture);
  return 0;
}

static json_t *result_with(const char *name, json_int_t value) {
  json_t *row =
      json_pack("{s:s?, s:I, s:I}", "text", NULL, "misses", value, "bypasses", (json_int_t)0);
  json_t *total = json_pack("{s:I, s:f, s:n, s:[O]}", name, value, "warp_ipc", 0.1, "l1t.hit_rate",
                            "accesses", row);
  json_t *kernel = json_pack("{s:s, s:[i,i,i], s:I, s:b, s:[O], s:[]}", "name", "k\"'", "grid", 16,
                             64, 1, name, value, "complete", 1, "accesses", row, "cta_rows");
  json_decref(row);
  return json_pack("{s:b, s:s, s:s, s:s, s:{s:{s:i}}, s:o, s:[o], s:{s:I}, s:{s:s}, s:f, s:f}",
                   "complete", 1, "mode", "timing", "gpu", "g", "scheme", "s", "config", "gpu",
                   "sm_count", 3, "total", total, "kernels", kernel, "policies", "a.b",
                   (json_int_t)7, "sums", "C", "nan", "wall_seconds", 1.5, "cpu_seconds", 1.25);
}

static int64_t put(Store *store, const char *job, const char *name, json_int_t value) {
  Error err;
  int64_t run;
  RunLabels labels = {.job = job, .program = "p"};
  json_t *result = result_with(name, value);
  assert_int_equal(store_begin_run(store, &labels, &run, &err), OK);
  assert_int_equal(store_end_run(store, &run, result, NULL, NULL, &err), OK);
  json_decref(result);
  return run;
}

static void what_goes_in_comes_out(void **state) {
  Store *store = ((Fixture *)*state)->store;
  assert_int_equal(put(store, NULL, "cycles", 123456789012345), 1);
  assert_answer(store, "select cycles, \"l1t.hit_rate\" from totals", "[[123456789012345,null]]");
  assert_answer(store, "select name, grid, complete, cycles from kernels",
                "[[\"k\\\"'\",\"16x64x1\",1,123456789012345]]");
  assert_answer(store, "select kernel, misses from accesses order by kernel",
                "[[null,123456789012345],[0,123456789012345]]");
  assert_answer(store, "select name, value from policy_counters", "[[\"a.b\",7.0]]");
  assert_answer(store, "select value from sums", "[[\"nan\"]]");
  assert_answer(store, "select state, gpu, scheme, mode, wall_seconds from runs",
                "[[\"complete\",\"g\",\"s\",\"timing\",1.5]]");
  assert_answer(store, "select name from row_tables", "[[\"accesses\"]]");
}

static void later_runs_bring_columns(void **state) {
  Store *store = ((Fixture *)*state)->store;
  put(store, NULL, "first", 1);
  put(store, NULL, "a \"quoted\" name", 2);
  put(store, NULL, "first", 3);
  assert_answer(store, "select run, first, \"a \"\"quoted\"\" name\" from totals",
                "[[1,1,null],[2,null,2],[3,3,null]]");
}

static void of_a_job_one_complete_run_stays(void **state) {
  Store *store = ((Fixture *)*state)->store;
  Error err;
  int64_t run, first = put(store, "j", "cycles", 1);
  assert_int_equal(put(store, "j", "cycles", 2), first);
  assert_int_equal(put(store, NULL, "cycles", 3), 2);
  assert_answer(store, "select id, job from runs", "[[1,\"j\"],[2,null]]");
  assert_answer(store, "select cycles from totals order by run", "[[1],[3]]");
  assert_answer(store, "select count(*) from accesses", "[[4]]");
  assert_int_equal(store_find_job(store, "j", &run, &err), OK);
  assert_int_equal(run, first);
  assert_int_equal(store_find_job(store, "other", &run, &err), OK);
  assert_int_equal(run, 0);
}

static void a_failure_is_marked(void **state) {
  Store *store = ((Fixture *)*state)->store;
  Error err;
  int64_t run, other;
  json_t *result = result_with("cycles", 1);
  RunLabels labels = {.job = "j", .program = "p"};
  assert_int_equal(store_begin_run(store, &labels, &run, &err), OK);
  assert_int_equal(store_end_run(store, &run, result, NULL, "exit code 3", &err), OK);
  assert_int_equal(store_begin_run(store, &labels, &other, &err), OK);
  assert_int_equal(store_fail_job(store, "j", "a signal", &err), OK);
  assert_answer(store, "select state, error from runs",
                "[[\"incomplete\",\"exit code 3\"],[\"failed\",\"a signal\"]]");
  json_decref(result);
}

static void a_result_without_configuration_is_refused_whole(void **state) {
  Store *store = ((Fixture *)*state)->store;
  Error err;
  int64_t run;
  json_t *result = result_with("cycles", 1);
  RunLabels labels = {.program = "p"};
  json_object_del(result, "config");
  assert_int_equal(store_begin_run(store, &labels, &run, &err), OK);
  assert_int_equal(store_end_run(store, &run, result, NULL, NULL, &err), ERR_SYNTAX);
  assert_answer(store, "select state from runs", "[[\"running\"]]");
  assert_answer(store, "select count(*) from totals", "[[0]]");
  json_decref(result);
}

#define NO_VARIANTS \
  "alter table runs drop column variant; alter table study_runs drop column variant; "

// Version 1 had no column for settings: readers go on without it, a writer adds it.
static void a_store_without_settings_gets_them(void **state) {
  Fixture *fixture = *state;
  sqlite3 *db;
  Error err;
  int64_t run;
  json_t *data, *meanings = json_object();
  put(fixture->store, NULL, "cycles", 5);
  store_close(fixture->store);
  assert_int_equal(sqlite3_open(fixture->path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db,
                                "drop view results; alter table runs drop column settings; alter "
                                "table runs drop column digest; alter table studies drop column "
                                "digest; " NO_VARIANTS "create "
                                "view results as select * from runs left join totals on totals.run "
                                "= runs.id; pragma user_version = 1",
                                NULL, NULL, NULL),
                   SQLITE_OK);
  sqlite3_close(db);
  assert_int_equal(store_open(&fixture->store, fixture->path, STORE_READ, &err), OK);
  assert_false(store_has_column(fixture->store, "runs", "settings"));
  assert_int_equal(report_data(fixture->store, &(ReportOptions){.meanings = meanings}, &data, &err),
                   OK);
  json_decref(data);
  json_decref(meanings);
  store_close(fixture->store);
  assert_int_equal(store_open(&fixture->store, fixture->path, STORE_WRITE, &err), OK);
  RunLabels labels = {.program = "q", .settings = "l1d.size_kb=32"};
  assert_int_equal(store_begin_run(fixture->store, &labels, &run, &err), OK);
  assert_answer(fixture->store, "select program, settings from results order by id",
                "[[\"p\",null],[\"q\",\"l1d.size_kb=32\"]]");
  assert_answer(fixture->store, "select user_version from pragma_user_version", "[[4]]");
  // What it had cannot be vouched for; a run in progress has no digest yet.
  assert_answer(fixture->store, "select digest from runs order by id", "[[\"none\"],[null]]");
  assert_int_equal(store_check(fixture->store, &err), OK);
}

// Version 2 had no state for runs that were stopped.
static void a_store_without_stopped_runs_can_have_them(void **state) {
  Fixture *fixture = *state;
  sqlite3 *db;
  Error err;
  int64_t run;
  bool was_stopped;
  put(fixture->store, NULL, "cycles", 5);
  store_close(fixture->store);
  assert_int_equal(sqlite3_open(fixture->path, &db), SQLITE_OK);
  assert_int_equal(
      sqlite3_exec(db,
                   NO_VARIANTS "pragma writable_schema = 1; update sqlite_schema set sql = "
                               "replace(sql, ', ''stopped'')', ')') where name = 'runs'; pragma "
                               "writable_schema = 0; pragma user_version = 2",
                   NULL, NULL, NULL),
      SQLITE_OK);
  sqlite3_close(db);
  assert_int_equal(sqlite3_open(fixture->path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, "update runs set state = 'stopped'", NULL, NULL, NULL),
                   SQLITE_CONSTRAINT);
  sqlite3_close(db);
  assert_int_equal(store_open(&fixture->store, fixture->path, STORE_READ, &err), OK);
  assert_answer(fixture->store, "select state from results", "[[\"complete\"]]");
  store_close(fixture->store);
  assert_int_equal(store_open(&fixture->store, fixture->path, STORE_WRITE, &err), OK);
  RunLabels labels = {.program = "q", .job = "j"};
  assert_int_equal(store_begin_run(fixture->store, &labels, &run, &err), OK);
  assert_int_equal(store_job_was_stopped(fixture->store, "j", &was_stopped, &err), OK);
  assert_false(was_stopped);
  assert_int_equal(store_stop_job(fixture->store, "j", "a signal", &err), OK);
  assert_int_equal(store_job_was_stopped(fixture->store, "j", &was_stopped, &err), OK);
  assert_true(was_stopped);
  assert_answer(fixture->store, "select state from results order by id",
                "[[\"complete\"],[\"stopped\"]]");
  assert_answer(fixture->store, "select user_version from pragma_user_version", "[[4]]");
  assert_answer(fixture->store, "select integrity_check from pragma_integrity_check", "[[\"ok\"]]");
}

// Version 3 had no variants: a writer adds them, and merging does without.
static void a_store_without_variants_gets_them(void **state) {
  Fixture *fixture = *state;
  static const StudyRun old[] = {{"w", "g", "s", "j", NULL}};
  static const StudyRun study[] = {{"w", "g", "s", "j", "CLU"}};
  RunLabels labels = {.program = "q", .variant = "agents"};
  sqlite3 *db;
  Error err;
  int64_t run;
  put(fixture->store, NULL, "cycles", 5);
  assert_int_equal(store_put_study(fixture->store, "old", "text", old, 1, &err), OK);
  store_close(fixture->store);
  assert_int_equal(sqlite3_open(fixture->path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, NO_VARIANTS "pragma user_version = 3", NULL, NULL, NULL),
                   SQLITE_OK);
  sqlite3_close(db);
  assert_int_equal(store_open(&fixture->store, fixture->path, STORE_READ, &err), OK);
  assert_int_equal(store_check(fixture->store, &err), OK);
  store_close(fixture->store);
  assert_int_equal(store_open(&fixture->store, fixture->path, STORE_WRITE, &err), OK);
  assert_int_equal(store_begin_run(fixture->store, &labels, &run, &err), OK);
  assert_int_equal(store_put_study(fixture->store, "new", "text", study, 1, &err), OK);
  assert_answer(fixture->store, "select program, variant from results order by id",
                "[[\"p\",null],[\"q\",\"agents\"]]");
  assert_answer(fixture->store,
                "select name, variant from study_runs join studies on id = study order by id",
                "[[\"old\",null],[\"new\",\"CLU\"]]");
  assert_answer(fixture->store, "select user_version from pragma_user_version", "[[4]]");
  assert_int_equal(store_check(fixture->store, &err), OK);
}

// The state of a result becomes the run's.
static void a_state_of_the_result_is_kept(void **state) {
  static const struct {
    const char *given, *failure, *stored;
  } cases[] = {{"stopped", "a signal", "stopped"},
               {"incomplete", "why", "incomplete"},
               {"failed", NULL, "failed"},
               {"complete", "exit code 3", "failed"},
               {"complete", NULL, "complete"}};
  Store *store = ((Fixture *)*state)->store;
  Error err;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int64_t run;
    char wanted[64];
    RunLabels labels = {.program = "p"};
    json_t *result = result_with("cycles", 1);
    json_object_set_new(result, "state", json_string(cases[i].given));
    assert_int_equal(store_begin_run(store, &labels, &run, &err), OK);
    assert_int_equal(store_end_run(store, &run, result, NULL, cases[i].failure, &err), OK);
    snprintf(wanted, sizeof wanted, "[[\"%s\"]]", cases[i].stored);
    assert_answer(store, "select state from runs order by id desc limit 1", wanted);
    json_decref(result);
  }
}

static void digests_tell_texts_apart(void **state) {
  (void)state;
  char a[DIGEST_BYTES], b[DIGEST_BYTES];
  uint64_t ab_c = digest_add_text(digest_add_text(digest_start(), "ab"), "c");
  uint64_t a_bc = digest_add_text(digest_add_text(digest_start(), "a"), "bc");
  assert_true(ab_c != a_bc);
  assert_true(digest_add_text(digest_start(), NULL) != digest_add_text(digest_start(), ""));
  assert_string_not_equal(digest_print(ab_c, a), digest_print(a_bc, b));
  digest_text("a", a);
  assert_string_equal(a, "089be207b544f1e4");
}

// ---- ten thousand

static void copy_run(sqlite3 *db, const char *table, const char *key) {
  char *columns = NULL, sql[16384];
  sqlite3_stmt *statement;
  snprintf(
      sql, sizeof sql,
      "select group_concat('\"' || name || '\"') from pragma_table_info('%s') where name <> '%s' "
      "and name <> 'job'",
      table, key);
  assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
  columns = strdup((const char *)sqlite3_column_text(statement, 0));
  sqlite3_finalize(statement);
  snprintf(sql, sizeof sql,
           "with recursive n (i) as (select 2 union all select i + 1 from n where i < %d) insert "
           "into %s (%s, %s) select i, %s from n, %s where %s = 1",
           MANY, table, key, columns, columns, table, key);
  assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  free(columns);
}

static json_t *wide_result(void) {
  static const char *const names[] = {"cycles",     "warp_ipc",       "l1d.hits",
                                      "l1d.misses", "sm.slot_memory", "dram.reads"};
  json_t *result = result_with("cycles", 5);
  json_t *kernel = json_array_get(json_object_get(result, "kernels"), 0), *rows = json_array();
  for (int i = 0; i < 180; i++) {
    char name[32];
    snprintf(name, sizeof name, "part.counter_%d", i);
    const char *key = i < 6 ? names[i] : name;
    json_object_set_new(json_object_get(result, "total"), key, json_integer(1000000 + i));
    json_object_set_new(kernel, key, json_integer(1000000 + i));
  }
  for (int i = 0; i < 15; i++)
    json_array_append_new(rows, json_pack("{s:i, s:i}", "sm", i, "ctas", 7));
  json_object_set_new(json_object_get(result, "total"), "sms", rows);
  return result;
}

static void fill_store(Fixture *fixture) {
  Error err;
  int64_t run;
  sqlite3 *db;
  json_t *result = wide_result();
  RunLabels labels = {.program = "p"};
  assert_int_equal(store_begin_run(fixture->store, &labels, &run, &err), OK);
  assert_int_equal(store_end_run(fixture->store, &run, result, NULL, NULL, &err), OK);
  json_decref(result);
  assert_int_equal(sqlite3_open(fixture->path, &db), SQLITE_OK);
  sqlite3_exec(db, "begin", NULL, NULL, NULL);
  copy_run(db, "runs", "id");
  copy_run(db, "totals", "run");
  copy_run(db, "kernels", "run");
  copy_run(db, "accesses", "run");
  copy_run(db, "sms", "run");
  assert_int_equal(sqlite3_exec(db, "commit", NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
}

static void ten_thousand_runs_are_reported_in_time(void **state) {
  Fixture *fixture = *state;
  Error err;
  json_t *data;
  struct timespec start, end;
  fill_store(fixture);
  clock_gettime(CLOCK_MONOTONIC, &start);
  assert_int_equal(report_data(fixture->store, &(ReportOptions){0}, &data, &err), OK);
  char *text = json_dumps(data, JSON_COMPACT);
  clock_gettime(CLOCK_MONOTONIC, &end);
  double seconds =
      (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
  assert_int_equal(json_array_size(json_object_get(json_object_get(data, "runs"), "rows")), MANY);
  assert_true(json_array_size(json_object_get(data, "details")) > 10);
  assert_true(strlen(text) < 8 << 20);
  if (seconds > 5) fail_msg("it took %.1f s", seconds);
  free(text);
  json_decref(data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(what_goes_in_comes_out, make, destroy),
      cmocka_unit_test_setup_teardown(later_runs_bring_columns, make, destroy),
      cmocka_unit_test_setup_teardown(of_a_job_one_complete_run_stays, make, destroy),
      cmocka_unit_test_setup_teardown(a_failure_is_marked, make, destroy),
      cmocka_unit_test_setup_teardown(a_result_without_configuration_is_refused_whole, make,
                                      destroy),
      cmocka_unit_test_setup_teardown(a_store_without_settings_gets_them, make, destroy),
      cmocka_unit_test_setup_teardown(a_store_without_stopped_runs_can_have_them, make, destroy),
      cmocka_unit_test_setup_teardown(a_store_without_variants_gets_them, make, destroy),
      cmocka_unit_test_setup_teardown(a_state_of_the_result_is_kept, make, destroy),
      cmocka_unit_test(digests_tell_texts_apart),
      cmocka_unit_test_setup_teardown(ten_thousand_runs_are_reported_in_time, make, destroy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
