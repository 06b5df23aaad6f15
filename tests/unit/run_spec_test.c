// SPDX-License-Identifier: MIT
// A run as a value: set by name, written, read back, resolved, told apart.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/run_identity.h"
#include "run/run_json.h"
#include "run/run_machine.h"
#include "unit/cmocka_all.h"

static Arena arena;
static Error err;

static void set(RunSpec *spec, const char *name, const char *value) {
  const RunRow *row = run_row(name);
  assert_non_null(row);
  if (run_spec_set(spec, row, value, &arena, &err) != OK) fail_msg("%s: %s", name, err.text);
}

static Status try(const char *name, const char *value) {
  RunSpec spec = {0};
  return run_spec_set(&spec, run_row(name), value, &arena, &err);
}

static int teardown(void **state) {
  (void)state;
  arena_clear(&arena);
  return 0;
}

// ---- the table

static void rows_are_found_by_field_and_by_option(void **state) {
  (void)state;
  assert_ptr_equal(run_row("no_skip"), run_row("--no-skip"));
  assert_null(run_row("--nothing"));
  assert_string_equal(run_row("max_cycles")->parameter, "run.max_cycles");
}

// A misspelt row would be an option that cannot be written in a file, or the reverse.
static void options_are_spelt_as_their_fields(void **state) {
  (void)state;
  for (const RunRow *row = run_rows; row->name; row++) {
    if (!row->option) continue;
    assert_memory_equal(row->option, "--", 2);
    for (size_t i = 0; i <= strlen(row->name); i++)
      assert_int_equal(row->option[i + 2] == '-' ? '_' : row->option[i + 2], row->name[i]);
    assert_true((row->type == RUN_FLAG) == (row->argument == NULL));
  }
}

static void values_are_checked(void **state) {
  (void)state;
  assert_int_equal(try("threads", "256"), OK);
  assert_int_equal(try("threads", "0"), ERR_USAGE);
  assert_non_null(strstr(err.text, "from 1 to 256"));
  assert_int_equal(try("threads", "257"), ERR_USAGE);
  assert_int_equal(try("threads", "auto"), OK);
  assert_int_equal(try("accesses", "auto"), ERR_USAGE);
  assert_int_equal(try("threads", "2x"), ERR_USAGE);
  assert_int_equal(try("threads", "-1"), ERR_USAGE);
  assert_int_equal(try("accesses", ""), ERR_USAGE);
  assert_int_equal(try("interval", "18446744073709551615"), ERR_USAGE);
  assert_int_equal(try("functional", "maybe"), ERR_USAGE);
}

// ---- files

static RunSpec example(void) {
  RunSpec spec = {0};
  set(&spec, "program", "./a.out");
  set(&spec, "arguments", "--n");
  set(&spec, "arguments", "");
  set(&spec, "arguments", "line\nbreak \"quoted\" \\ ; # not a comment");
  set(&spec, "arguments", "not UTF-8: \xff\xfe");
  set(&spec, "gpu", "v100");
  set(&spec, "set", "policy.shared=a:x=1; b");
  set(&spec, "functional", NULL);
  set(&spec, "interval", "9223372036854775806");
  return spec;
}

static void written_and_read_back_a_run_is_equal(void **state) {
  (void)state;
  char path[] = "/tmp/heddle-run-test-XXXXXX";
  int file = mkstemp(path);
  RunSpec spec = example(), again = {0};
  GpuConfig config;
  bool has_config;
  assert_true(file >= 0);
  close(file);
  assert_int_equal(run_spec_write(&spec, NULL, path, &err), OK);
  assert_int_equal(run_spec_read(&again, &config, &has_config, path, &arena, &err), OK);
  unlink(path);
  assert_false(has_config);
  assert_true(run_spec_equal(&spec, &again));
  assert_string_equal(again.arguments.items[3], "not UTF-8: \xff\xfe");
  assert_null(again.arguments.items[4]);
}

static char random_byte(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (char)(*seed >> 24 ? *seed >> 24 : 1);
}

static const char *random_text(unsigned *seed) {
  char text[16] = "";
  size_t length = (unsigned char)random_byte(seed) % sizeof text;
  for (size_t i = 0; i + 1 < length; i++) text[i] = random_byte(seed);
  return arena_strdup(&arena, text);
}

static void set_randomly(RunSpec *spec, unsigned *seed) {
  for (const RunRow *row = run_rows; row->name; row++) {
    unsigned count = (unsigned char)random_byte(seed) % 3;
    char number[32];
    snprintf(number, sizeof number, "%llu", (unsigned long long)row->minimum + count);
    for (unsigned i = 0; i < count; i++)
      set(spec, row->name,
          row->type == RUN_FLAG    ? "true"
          : row->type == RUN_COUNT ? (row->word && count == 2 ? row->word : number)
                                   : random_text(seed));
  }
}

static void so_is_any_run_whatever_the_order_of_its_members(void **state) {
  (void)state;
  for (unsigned seed = 1; seed <= 500; seed++) {
    unsigned state_of_seed = seed;
    RunSpec spec = {0}, again = {0};
    set_randomly(&spec, &state_of_seed);
    json_t *json = run_spec_json(&spec), *reversed = json_object(), *value;
    const char *names[100];
    size_t count = 0;
    const char *name;
    json_object_foreach(json, name, value) names[count++] = name;
    while (count--) json_object_set(reversed, names[count], json_object_get(json, names[count]));
    assert_int_equal(run_spec_from_json(&again, reversed, &arena, &err), OK);
    assert_true(run_spec_equal(&spec, &again));
    json_decref(json);
    json_decref(reversed);
  }
}

static Status read_text(const char *text, RunSpec *spec) {
  json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
  assert_non_null(json);
  Status status = run_spec_from_json(spec, json, &arena, &err);
  json_decref(json);
  return status;
}

static void invalid_files_are_explained(void **state) {
  (void)state;
  static const char *const wrong[][2] = {
      {"[]", "expected an object"},
      {"{\"gpus\": \"v100\"}", "did you mean 'gpu'"},
      {"{\"--gpu\": \"v100\"}", "unknown field"},
      {"{\"gpu\": 3}", "gpu: expected a text"},
      {"{\"set\": \"a.b=1\"}", "set: expected a list of texts"},
      {"{\"set\": [1]}", "set: expected a list of texts"},
      {"{\"threads\": 1000}", "from 1 to 256"},
      {"{\"threads\": -1}", "from 1 to 256"},
      {"{\"threads\": \"some\"}", "from 1 to 256, or auto"},
      {"{\"threads\": []}", "threads: expected a number"},
      {"{\"functional\": 1}", "true or false"},
      {"{\"gpu\": {\"hex\": \"4\"}}", "expected a text"},
      {"{\"gpu\": {\"hex\": \"00\"}}", "expected a text"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    RunSpec spec = {0};
    assert_int_not_equal(read_text(wrong[i][0], &spec), OK);
    if (!strstr(err.text, wrong[i][1])) fail_msg("%s: %s", wrong[i][0], err.text);
  }
}

// ---- machines

static GpuConfig resolved(const RunSpec *spec) {
  RunMachine machine = {0};
  if (run_resolve(&machine, spec, &err) != OK) fail_msg("%s", err.text);
  GpuConfig config = machine.config;
  run_machine_clear(&machine);
  return config;
}

static void later_settings_override_earlier_ones(void **state) {
  (void)state;
  RunSpec spec = {.gpu = "tiny", .scheme = "lrr"};
  set(&spec, "max_cycles", "100");
  set(&spec, "set", "run.max_cycles=200");
  set(&spec, "set", "policy.warp_scheduler=gto");
  set(&spec, "set", "gpu.sm_count=3");
  GpuConfig config = resolved(&spec);
  assert_int_equal(config.run.max_cycles, 200);
  assert_string_equal(config.policy.warp_scheduler, "gto");
  assert_int_equal(config.gpu.sm_count, 3);
}

static void a_mistake_is_reported_by_its_option(void **state) {
  (void)state;
  static const char *const wrong[][3] = {{"set", "gpu.sm_count=x", "--set gpu.sm_count=x"},
                                         {"max_cycles", "x", "--max-cycles"},
                                         {"kernels", "9-3", "--kernels 9-3"},
                                         {"observe", "reus", "--observe reus"},
                                         {"gpu", "v10", "v100"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    RunMachine machine = {0};
    RunSpec spec = {0};
    set(&spec, wrong[i][0], wrong[i][1]);
    assert_int_not_equal(run_resolve(&machine, &spec, &err), OK);
    if (!strstr(err.text, wrong[i][2])) fail_msg("%s: %s", wrong[i][1], err.text);
    run_machine_clear(&machine);
  }
}

// Another process makes the same machine from the file, whatever its own GPU files are.
static void the_resolved_configuration_is_handed_over_exactly(void **state) {
  (void)state;
  char path[] = "/tmp/heddle-run-test-XXXXXX";
  int file = mkstemp(path);
  RunSpec spec = {.gpu = "v100"}, again = {0};
  set(&spec, "set", "gpu.cta_start_cycles=0.1");
  GpuConfig config = resolved(&spec), read;
  bool has_config;
  close(file);
  assert_int_equal(run_spec_write(&spec, &config, path, &err), OK);
  assert_int_equal(run_spec_read(&again, &read, &has_config, path, &arena, &err), OK);
  unlink(path);
  assert_true(has_config);
  assert_true(read.gpu.cta_start_cycles == 0.1);
  assert_int_equal(run_digest_add_config(0, &read), run_digest_add_config(0, &config));
}

// ---- identity

static void only_what_changes_a_result_changes_the_identity(void **state) {
  (void)state;
  RunSpec spec = example();
  uint64_t before = run_digest_add_values(0, &spec);
  set(&spec, "threads", "2");
  set(&spec, "json", "out.json");
  set(&spec, "quiet", NULL);
  assert_int_equal(run_digest_add_values(0, &spec), before);
  set(&spec, "kernels", "3");
  assert_int_not_equal(run_digest_add_values(0, &spec), before);
}

// Specs longer than a line must not be cut, or two configurations would be the same run.
static void long_policies_are_told_apart(void **state) {
  (void)state;
  GpuConfig a = resolved(&(RunSpec){.gpu = "tiny"}), b = a;
  memset(a.policy.shared, 'x', 500);
  memset(b.policy.shared, 'x', 500);
  b.policy.shared[499] = 'y';
  assert_int_not_equal(run_digest_add_config(0, &a), run_digest_add_config(0, &b));
}

// ---- programs and paths

static void a_name_says_what_the_program_is(void **state) {
  (void)state;
  assert_int_equal(run_spec_program(&(RunSpec){.program = "matrixMul"}), RUN_WORKLOAD);
  assert_int_equal(run_spec_program(&(RunSpec){.program = "./a.out"}), RUN_EXECUTABLE);
  assert_int_equal(run_spec_program(&(RunSpec){.program = "a.case"}), RUN_CASE);
  RunSpec named = {.program = "a.out", .kind = "executable"};
  assert_int_equal(run_spec_program(&named), RUN_EXECUTABLE);
}

static void relative_paths_are_seen_from_a_folder(void **state) {
  (void)state;
  RunSpec spec = {.program = "matrixMul", .gpu = "v100", .scheme = "gto + mine.ini", .json = "-"};
  set(&spec, "plugin", "a.so");
  run_spec_from_folder(&spec, "/work", &arena);
  assert_string_equal(spec.program, "matrixMul");
  assert_string_equal(spec.gpu, "v100");
  assert_string_equal(spec.scheme, "gto + /work/mine.ini");
  assert_string_equal(spec.json, "-");
  assert_string_equal(spec.plugin.items[0], "/work/a.so");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_found_by_field_and_by_option),
      cmocka_unit_test(options_are_spelt_as_their_fields),
      cmocka_unit_test(values_are_checked),
      cmocka_unit_test(written_and_read_back_a_run_is_equal),
      cmocka_unit_test(so_is_any_run_whatever_the_order_of_its_members),
      cmocka_unit_test(invalid_files_are_explained),
      cmocka_unit_test(later_settings_override_earlier_ones),
      cmocka_unit_test(a_mistake_is_reported_by_its_option),
      cmocka_unit_test(the_resolved_configuration_is_handed_over_exactly),
      cmocka_unit_test(only_what_changes_a_result_changes_the_identity),
      cmocka_unit_test(long_policies_are_told_apart),
      cmocka_unit_test(a_name_says_what_the_program_is),
      cmocka_unit_test(relative_paths_are_seen_from_a_folder),
  };
  return cmocka_run_group_tests(tests, NULL, teardown);
}
