// SPDX-License-Identifier: MIT
// Damaged stores: whatever is damaged, a merge is refused and changes nothing, or what arrives is
// what was there before the damage.
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "store/content.h"
#include "store/merge.h"
#include "unit/store_support.h"

enum { SEEDS = 60, LIMIT_BYTES = 1 << 24, PAGE_BYTES = 4096 };

typedef struct Fixture {
  char folder[64], sound[96], damaged[96], into[96];
  char *bytes;  // of the sound store
  size_t length;
  uint64_t random;
} Fixture;

// xorshift: the same damage in every run of the test.
static uint64_t next_random(Fixture *fixture) {
  fixture->random ^= fixture->random << 13;
  fixture->random ^= fixture->random >> 7;
  fixture->random ^= fixture->random << 17;
  return fixture->random;
}

static const char result_text[] =
    "{\"version\": \"0\", \"mode\": \"timing\", \"complete\": true, \"wall_seconds\": 1.5,"
    " \"config\": {\"gpu\": {\"name\": \"tiny\", \"sm_count\": %d}, \"l1d\": {\"size_kb\": 16}},"
    " \"total\": {\"cycles\": %d, \"l1d.accesses\": 10, \"l1d.hits\": 5, \"l1d.merges\": 3,"
    " \"l1d.misses\": 2, \"warp_ipc\": 0.25, \"sms\": [{\"sm\": 0, \"cycles\": 100}]},"
    " \"kernels\": [{\"name\": \"k\", \"grid\": [4, 1, 1], \"cycles\": %d, \"accesses\":"
    " [{\"pc\": 8, \"executions\": 3}, {\"pc\": 16, \"executions\": 4}]}],"
    " \"policies\": {\"warp_scheduler.gto.issues\": 7}, \"sums\": {\"A\": 1.5}}";

static void put(Store *store, const char *job, int cycles) {
  char text[1024];
  Error err;
  int64_t run;
  snprintf(text, sizeof text, result_text, cycles % 2 + 1, cycles, cycles);
  json_t *result = json_loads(text, 0, NULL);
  RunLabels labels = {.job = job, .program = "p", .gpu = "tiny", .scheme = job};
  assert_int_equal(store_begin_run(store, &labels, &run, &err), OK);
  assert_int_equal(store_end_run(store, &run, result, NULL, NULL, &err), OK);
  json_decref(result);
}

static Store *open_store(const char *path) {
  Store *store;
  Error err;
  assert_int_equal(store_open(&store, path, STORE_WRITE, &err), OK);
  return store;
}

static int make(void **state) {
  Fixture *fixture = calloc(1, sizeof *fixture);
  StudyRun runs[] = {{"w", "g", "s", "lrr", NULL}, {"w", "g", "t", "gto", "CLU"}};
  Error err;
  strcpy(fixture->folder, "/tmp/heddle-damage-test-XXXXXX");
  assert_non_null(mkdtemp(fixture->folder));
  snprintf(fixture->sound, sizeof fixture->sound, "%s/sound.db", fixture->folder);
  snprintf(fixture->damaged, sizeof fixture->damaged, "%s/damaged.db", fixture->folder);
  snprintf(fixture->into, sizeof fixture->into, "%s/into.db", fixture->folder);
  Store *store = open_store(fixture->sound);
  put(store, "lrr", 100);
  put(store, "gto", 83);
  assert_int_equal(store_put_study(store, "s", "[study]\n", runs, 2, &err), OK);
  store_close(store);
  assert_int_equal(file_read(fixture->sound, LIMIT_BYTES, &fixture->bytes, &fixture->length, &err),
                   OK);
  *state = fixture;
  return 0;
}

static int destroy(void **state) {
  Fixture *fixture = *state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", fixture->folder);
  assert_int_equal(system(command), 0);
  memory_free(fixture->bytes);
  free(fixture);
  return 0;
}

// ---- what is expected

static void assert_undamaged(Store *store, const char *what) {
  static const char *const queries[] = {
      "select job, state, program, gpu, scheme, mode, wall_seconds, cycles, \"l1d.accesses\", "
      "\"l1d.hits\", \"l1d.merges\", \"l1d.misses\", warp_ipc from results order by job",
      "[[\"gto\",\"complete\",\"p\",\"tiny\",\"gto\",\"timing\",1.5,83,10,5,3,2,0.25],"
      "[\"lrr\",\"complete\",\"p\",\"tiny\",\"lrr\",\"timing\",1.5,100,10,5,3,2,0.25]]",
      "select scheme, k.name, k.grid, k.cycles, a.pc, a.executions from runs join kernels as k on "
      "k.run = id join accesses as a on a.run = id order by scheme, a.pc",
      "[[\"gto\",\"k\",\"4x1x1\",83,8,3],[\"gto\",\"k\",\"4x1x1\",83,16,4],[\"lrr\",\"k\","
      "\"4x1x1\","
      "100,8,3],[\"lrr\",\"k\",\"4x1x1\",100,16,4]]",
      "select scheme, settings ->> '$.gpu.sm_count' from (select scheme, config from runs) join "
      "configs on configs.id = config order by scheme",
      "[[\"gto\",2],[\"lrr\",1]]",
      "select name, definition, position, job from studies join study_runs on study = id order by "
      "position",
      "[[\"s\",\"[study]\\n\",0,\"lrr\"],[\"s\",\"[study]\\n\",1,\"gto\"]]",
      "select distinct p.name, p.value, s.name, s.value, sm from policy_counters as p, sums as s, "
      "sms",
      "[[\"warp_scheduler.gto.issues\",7.0,\"A\",1.5,0]]"};
  print_message("%s: as before\n", what);
  for (size_t i = 0; i < sizeof queries / sizeof *queries; i += 2)
    assert_answer(store, queries[i], queries[i + 1]);
}

// Whether it was refused.
static bool expect_sound_or_refused(Fixture *fixture, const char *what) {
  Error err = {0};
  MergeCounts counts;
  unlink(fixture->into);
  Store *store = open_store(fixture->into);
  Status status =
      store_merge(store, fixture->damaged, &(MergeOptions){.is_over = true}, &counts, &err);
  if (status == OK) {
    assert_undamaged(store, what);
  } else {
    assert_true(strstr(err.text, fixture->damaged) != NULL);
    assert_answer(store, "select (select count(*) from runs), (select count(*) from studies)",
                  "[[0,0]]");
  }
  store_close(store);
  return status != OK;
}

static void write_damaged(const Fixture *fixture, const char *bytes, size_t length) {
  FILE *file = fopen(fixture->damaged, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

// ---- bytes

// Most of a small store is zeros that nothing reads.
static size_t place_in_use(Fixture *fixture) {
  size_t place;
  do place = next_random(fixture) % fixture->length;
  while (!fixture->bytes[place]);
  return place;
}

static void flipped_bits_are_found(void **state) {
  Fixture *fixture = *state;
  char *bytes = memory_alloc(fixture->length);
  int refused = 0;
  fixture->random = 88172645463325252u;
  for (int seed = 0; seed < SEEDS; seed++) {
    memcpy(bytes, fixture->bytes, fixture->length);
    for (int i = 0; i <= seed % 4; i++)
      bytes[place_in_use(fixture)] ^= (char)(1 << next_random(fixture) % 8);
    write_damaged(fixture, bytes, fixture->length);
    refused += expect_sound_or_refused(fixture, "flipped bits");
  }
  assert_true(refused > SEEDS / 2);
  memory_free(bytes);
}

static void pages_of_zeros_are_found(void **state) {
  Fixture *fixture = *state;
  char *bytes = memory_alloc(fixture->length);
  for (size_t page = 0; page < fixture->length / PAGE_BYTES; page++) {
    memcpy(bytes, fixture->bytes, fixture->length);
    memset(bytes + page * PAGE_BYTES, 0, PAGE_BYTES);
    write_damaged(fixture, bytes, fixture->length);
    expect_sound_or_refused(fixture, "a page of zeros");
  }
  memory_free(bytes);
}

static void truncated_files_are_refused(void **state) {
  Fixture *fixture = *state;
  const size_t lengths[] = {0,
                            1,
                            50,
                            100,
                            512,
                            PAGE_BYTES,
                            fixture->length / 2,
                            fixture->length - PAGE_BYTES,
                            fixture->length - 1};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    write_damaged(fixture, fixture->bytes, lengths[i]);
    assert_true(expect_sound_or_refused(fixture, "truncated"));
  }
}

// ---- values

static const char *const nonsense[] = {
    "update totals set cycles = -5",
    "update totals set cycles = 'many'",
    "update totals set cycles = 9e999",
    "update totals set cycles = null",
    "update totals set \"l1d.hits\" = \"l1d.hits\" + 1",
    "update totals set warp_ipc = 0.5 where run = 1",
    "update kernels set cycles = cycles + 1",
    "update kernels set name = null",
    "update accesses set executions = 5 where pc = 8",
    "update accesses set executions = x'00'",
    "update policy_counters set value = 8",
    "update sums set name = 'B'",
    "delete from totals where run = 1",
    "delete from kernels where run = 2",
    "delete from row_tables where name = 'sms'",
    "insert into row_tables values ('studies')",
    "update totals set run = 99 where run = 1",
    "update runs set state = 'failed'",
    "update runs set state = 'running'",
    "update runs set job = 'other' where id = 1",
    "update runs set gpu = x'00ff'",
    "update runs set version = ''",
    "update runs set process = ''",
    "update runs set started = 'yesterday'",
    "update runs set wall_seconds = -1",
    "update runs set wall_seconds = 'long'",
    "update runs set config = null",
    "update runs set config = 3 - config",
    "update runs set digest = null",
    "update runs set digest = '0123456789abcdef'",
    "update configs set settings = '{\"gpu\": ' where id = 1",
    "update configs set digest = '0000000000000000' where id = 1",
    "update studies set definition = 'none'",
    "update study_runs set job = 'gto'",
    "delete from study_runs where position = 1",
    "pragma user_version = 5",
    "pragma application_id = 1",
};

static void change(const Fixture *fixture, const char *sql) {
  sqlite3 *db;
  write_damaged(fixture, fixture->bytes, fixture->length);
  assert_int_equal(sqlite3_open(fixture->damaged, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
}

static void nonsense_is_refused(void **state) {
  Fixture *fixture = *state;
  for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
    change(fixture, nonsense[i]);
    if (!expect_sound_or_refused(fixture, nonsense[i])) fail_msg("accepted: %s", nonsense[i]);
  }
}

// Another version number hides nothing.
static void a_version_without_digests_is_checked_all_the_same(void **state) {
  Fixture *fixture = *state;
  for (int version = 1; version < FIRST_WITH_DIGESTS; version++) {
    char sql[128];
    snprintf(sql, sizeof sql, "pragma user_version = %d; update kernels set cycles = 1", version);
    change(fixture, sql);
    assert_true(expect_sound_or_refused(fixture, sql));
  }
}

static void a_sound_store_passes(void **state) {
  Fixture *fixture = *state;
  Error err;
  write_damaged(fixture, fixture->bytes, fixture->length);
  assert_false(expect_sound_or_refused(fixture, "sound"));
  Store *store = open_store(fixture->into);  // the copy has the same digests
  assert_int_equal(store_check(store, &err), OK);
  store_close(store);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sound_store_passes),
      cmocka_unit_test(flipped_bits_are_found),
      cmocka_unit_test(pages_of_zeros_are_found),
      cmocka_unit_test(truncated_files_are_refused),
      cmocka_unit_test(nonsense_is_refused),
      cmocka_unit_test(a_version_without_digests_is_checked_all_the_same),
  };
  return cmocka_run_group_tests(tests, make, destroy);
}
