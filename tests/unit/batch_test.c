// SPDX-License-Identifier: MIT
// Bundles, expected times, Slurm's formats, and what sbatch may be told.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch/bundles.h"
#include "batch/slurm.h"
#include "unit/cmocka_all.h"

// ---- bundles

enum { MOST = 10000 };
static ListedRun runs[MOST];

static uint32_t bundle(size_t count, double seconds, BundleLimits limits) {
  for (size_t i = 0; i < count; i++) runs[i] = (ListedRun){.seconds = seconds};
  if (!limits.processes) limits.processes = 1;
  if (!limits.most_bundles) limits.most_bundles = 1000;
  return bundles_make(runs, count, &limits);
}

// The expected seconds of the shortest and of the longest bundle.
static void extremes(size_t count, uint32_t bundles, double *shortest, double *longest) {
  double *sums = calloc(bundles + 1, sizeof *sums);
  *shortest = 1e300, *longest = 0;
  for (size_t i = 0; i < count; i++) {
    assert_in_range(runs[i].bundle, 1, bundles);
    assert_true(i == 0 || runs[i].bundle == runs[i - 1].bundle ||
                runs[i].bundle == runs[i - 1].bundle + 1);
    sums[runs[i].bundle] += runs[i].seconds + 0.2;
  }
  for (uint32_t i = 1; i <= bundles; i++) {
    if (sums[i] < *shortest) *shortest = sums[i];
    if (sums[i] > *longest) *longest = sums[i];
  }
  free(sums);
}

static void no_bundle_is_shorter_than_a_minute(void **state) {
  (void)state;
  static const double lengths[] = {0.05, 0.9, 7, 29, 59, 61, 100};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    double shortest, longest;
    uint32_t count = bundle(1234, lengths[i], (BundleLimits){.least_seconds = 60});
    extremes(1234, count, &shortest, &longest);
    assert_true(shortest >= 60);
    assert_true(longest < 120 + lengths[i] + 1234 * (lengths[i] + 0.2) / 1000);
  }
}

static void few_runs_are_one_bundle(void **state) {
  (void)state;
  assert_int_equal(bundle(1, 0.1, (BundleLimits){.least_seconds = 60}), 1);
  assert_int_equal(bundle(30, 1, (BundleLimits){.least_seconds = 60}), 1);
  assert_int_equal(bundle(0, 1, (BundleLimits){.least_seconds = 60}), 0);
}

static void none_is_longer_than_the_limit(void **state) {
  (void)state;
  double shortest, longest;
  uint32_t count = bundle(100, 500, (BundleLimits){.least_seconds = 3600, .most_seconds = 1800});
  extremes(100, count, &shortest, &longest);
  assert_true(longest <= 1800);
  assert_int_equal(count, 34);
  // A run that is longer by itself is alone.
  assert_int_equal(bundle(5, 4000, (BundleLimits){.least_seconds = 60, .most_seconds = 1800}), 5);
}

static void there_are_at_most_so_many(void **state) {
  (void)state;
  uint32_t count = bundle(MOST, 300, (BundleLimits){.least_seconds = 60, .most_bundles = 1000});
  assert_in_range(count, 900, 1000);
}

static void processes_share_a_bundle(void **state) {
  (void)state;
  assert_int_equal(bundle(240, 0.8, (BundleLimits){.least_seconds = 60}), 4);
  assert_int_equal(bundle(240, 0.8, (BundleLimits){.least_seconds = 60, .processes = 4}), 1);
}

// ---- expected times

static void put_run(Store *store, const RunLabels *labels, double seconds) {
  Error err;
  int64_t run;
  json_t *result = json_pack("{s:b, s:{}, s:{s:i}, s:f, s:f}", "complete", 1, "config", "total",
                             "cycles", 1, "wall_seconds", seconds, "cpu_seconds", seconds);
  assert_int_equal(store_begin_run(store, labels, &run, &err), OK);
  assert_int_equal(store_end_run(store, &run, result, NULL, NULL, &err), OK);
  json_decref(result);
}

static void like_runs_say_how_long_it_takes(void **state) {
  (void)state;
  char path[] = "/tmp/heddle-batch-test-XXXXXX";
  close(mkstemp(path));
  Store *store;
  Error err;
  assert_int_equal(store_open(&store, path, STORE_WRITE, &err), OK);
  put_run(store, &(RunLabels){.program = "p", .size = "tiny", .gpu = "g", .scheme = "s"}, 4);
  put_run(store, &(RunLabels){.program = "p", .size = "tiny", .gpu = "g", .scheme = "s"}, 6);
  put_run(store, &(RunLabels){.program = "p", .size = "tiny", .gpu = "g", .scheme = "t"}, 20);
  RunLabels asked[] = {
      {.program = "p", .size = "tiny", .gpu = "g", .scheme = "s"},
      {.program = "p", .size = "tiny", .gpu = "h", .scheme = "s"},
      {.program = "p", .size = "paper", .gpu = "g", .scheme = "s"},
      {.program = "p", .size = "tiny", .arguments = "-n 2", .gpu = "g", .scheme = "s"}};
  double seconds[4];
  bool is_guess[4];
  assert_int_equal(bundles_estimate(store, asked, 4, seconds, is_guess, &err), OK);
  assert_true(seconds[0] == 5 && !is_guess[0]);
  assert_true(seconds[1] == 10 && !is_guess[1]);
  assert_true(seconds[2] == 300 && is_guess[2]);
  assert_true(seconds[3] == 2 && is_guess[3]);
  store_close(store);
  unlink(path);
}

// ---- Slurm

static void times_are_read_as_slurm_writes_them(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double seconds;
  } times[] = {{"30", 1800},     {"5:30", 330},      {"1:00:00", 3600}, {"2-00:00:00", 172800},
               {"1-12", 129600}, {"1-01:30", 91800}, {"infinite", 0},   {"UNLIMITED", 0},
               {"", -1},         {"n/a", -1},        {"1:2:3:4", -1},   {"5x", -1},
               {"-3", -1},       {"1:", -1}};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++)
    if (slurm_seconds(times[i].text) != times[i].seconds)
      fail_msg("%s: %g", times[i].text, slurm_seconds(times[i].text));
}

static void collect(void *self, const SlurmElement *element) {
  char *out = self;
  sprintf(out + strlen(out), "[%s %u %s %s %d]", element->name, element->index, element->state,
          element->reason, element->is_live);
}

static void queues_are_read(void **state) {
  (void)state;
  char out[1024] = "";
  slurm_queue_parse(
      "7|RUNNING|a-1|None\n8|PENDING|a-1|Priority|x\nN/A|RUNNING|b|None\nnonsense\n|||\n"
      "3|TIMEOUT|a-9|TimeLimit\n4|COMPLETING|a-9|\n5|OUT_OF_MEMORY|a-9|\n99999999999|RUNNING|a|\n",
      collect, out);
  assert_string_equal(
      out,
      "[a-1 7 RUNNING None 1][a-1 8 PENDING Priority|x 1][a-9 3 TIMEOUT TimeLimit 0][a-9 4 "
      "COMPLETING  1][a-9 5 OUT_OF_MEMORY  0]");
  *out = '\0';
  slurm_accounts_parse(
      "12_3|CANCELLED by 0|a-1\n12|COMPLETED|b\n12_[4-9]|PENDING|a-1\n13_2|NODE_FAIL|a-1\n",
      collect, out);
  assert_string_equal(out, "[a-1 3 CANCELLED by 0  0][a-1 2 NODE_FAIL  0]");
}

static void options_are_read(void **state) {
  (void)state;
  Arena arena = {0};
  Error err;
  char **words, path[] = "/tmp/heddle-batch-test-XXXXXX";
  assert_int_equal(
      slurm_options_read(&arena, " --partition=a -t 5 --comment='two words'", &words, &err), OK);
  assert_string_equal(words[3], "--comment=two words");
  assert_null(words[4]);
  assert_string_equal(slurm_option(words, "partition", 'p'), "a");
  assert_string_equal(slurm_option(words, "time", 't'), "5");
  assert_null(slurm_option(words, "part", 0));
  int file = mkstemp(path);
  static const char text[] = "#!/bin/sh\n# a comment\n#SBATCH -pb --mem=2G\n--nice\n";
  assert_int_equal(write(file, text, strlen(text)), strlen(text));
  close(file);
  assert_int_equal(slurm_options_read(&arena, path, &words, &err), OK);
  assert_string_equal(words[0], "-pb");
  assert_string_equal(words[2], "--nice");
  assert_null(words[3]);
  assert_string_equal(slurm_option(words, "partition", 'p'), "b");
  unlink(path);
  static const char *const refused[] = {"--array=1-3",         "-a 3",      "-J x",
                                        "--output x",          "--wrap=ls", "--comment='open",
                                        "--mem=1 --job-name=x"};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    if (slurm_options_read(&arena, refused[i], &words, &err) == OK)
      fail_msg("%s is accepted", refused[i]);
  arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_bundle_is_shorter_than_a_minute),
      cmocka_unit_test(few_runs_are_one_bundle),
      cmocka_unit_test(none_is_longer_than_the_limit),
      cmocka_unit_test(there_are_at_most_so_many),
      cmocka_unit_test(processes_share_a_bundle),
      cmocka_unit_test(like_runs_say_how_long_it_takes),
      cmocka_unit_test(times_are_read_as_slurm_writes_them),
      cmocka_unit_test(queues_are_read),
      cmocka_unit_test(options_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
