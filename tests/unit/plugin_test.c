// SPDX-License-Identifier: MIT
// Policies from shared objects: the example that ships is built and loaded,
// and everything that can be wrong with a plugin is told.
#include "policies/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policies/plugin_check.h"
#include "policies/registry.h"
#include "policies/warp_scheduler/warp_scheduler.h"
#include "unit/cmocka_all.h"

typedef struct Folder {
  char path[64];
} Folder;

static int make_folder(void **state) {
  static Folder folder;
  strcpy(folder.path, "/tmp/heddle_plugin_XXXXXX");
  *state = &folder;
  return mkdtemp(folder.path) ? 0 : -1;
}

static int remove_folder(void **state) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", ((Folder *)*state)->path);
  return system(command);
}

// Compiles a source into the folder; the path of the plugin.
static const char *build(const Folder *folder, const char *source, const char *name) {
  static char path[128];
  char command[512];
  snprintf(path, sizeof path, "%s/%s.so", folder->path, name);
  snprintf(command, sizeof command,
           "cc -shared -fPIC -std=gnu11 -O1 -Wall -Wextra -Werror -Isrc %s -o %s", source, path);
  if (system(command) != 0) fail_msg("cannot build: %s", command);
  return path;
}

static const char *build_text(const Folder *folder, const char *text, const char *name) {
  char source[128];
  snprintf(source, sizeof source, "%s/%s.c", folder->path, name);
  FILE *file = fopen(source, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  return build(folder, source, name);
}

static void the_example_loads_and_answers(void **state) {
  PolicySet set = {0};
  Error err = {0};
  const PolicyType *type;
  const char *path = build(*state, "examples/plugin/youngest.c", "youngest");
  if (policy_set_load(&set, path, &err) != OK) fail_msg("%s", err.text);
  const char *spec = "youngest";
  assert_int_equal(policy_find(&warp_scheduler_family, &set, spec, &type, NULL), OK);
  const WarpSchedulerType *youngest = (const WarpSchedulerType *)type;
  _Alignas(16) char memory[64] = {0};
  assert_true(type->state_size <= sizeof memory);
  assert_int_equal(policy_set_params(type, spec, memory, NULL), OK);
  const uint64_t age[64] = {5, 9, 7, 1};
  IssueView view = {.candidates = 0xf, .age = age};
  assert_int_equal(warp_scheduler_pick(youngest, memory, &view), 1);
  view.candidates = 0xd;
  assert_int_equal(warp_scheduler_pick(youngest, memory, &view), 2);
  assert_int_equal(policy_set_params(type, "youngest:reverse=true", memory, NULL), OK);
  assert_int_equal(warp_scheduler_pick(youngest, memory, &view), 3);
  // Without the set it is not known: nothing is registered for all.
  assert_int_equal(policy_find(&warp_scheduler_family, NULL, "youngest", &type, NULL), ERR_CONFIG);
  policy_set_clear(&set);
}

static void assert_not_loaded(const char *path, Status status, const char *reason) {
  PolicySet set = {0};
  Error err = {0};
  assert_int_equal(policy_set_load(&set, path, &err), status);
  if (!strstr(err.text, reason)) fail_msg("'%s' is not in: %s", reason, err.text);
  assert_int_equal(set.count, 0);
  policy_set_clear(&set);
}

static void files_that_are_no_plugins_are_refused(void **state) {
  assert_not_loaded("/no/such.so", ERR_IO, "cannot load plugin /no/such.so");
  assert_not_loaded("Makefile", ERR_IO, "cannot load plugin ./Makefile");
  assert_not_loaded(build_text(*state, "int nothing;\n", "empty"), ERR_CONFIG,
                    "heddle_policy is not exported");
  const char *old = build_text(*state,
                               "#include \"policies/plugin.h\"\n"
                               "extern const PolicyPlugin heddle_policy;\n"
                               "const PolicyPlugin heddle_policy = {99, \"prefetch\", 0};\n",
                               "old");
  assert_not_loaded(old, ERR_CONFIG, "old.so: compiled for version 99");
}

static int pick_any(void *state, const IssueView *view) {
  (void)state;
  return __builtin_ctzll(view->candidates);
}

static void assert_not_added(const PolicyPlugin *plugin, const char *reason) {
  PolicySet set = {0};
  Error err = {0};
  assert_int_equal(policy_set_add(&set, plugin, "test", &err), ERR_CONFIG);
  if (!strstr(err.text, reason)) fail_msg("'%s' is not in: %s", reason, err.text);
  policy_set_clear(&set);
}

static void plugins_that_break_the_rules_are_refused(void **state) {
  (void)state;
  static const WarpSchedulerType mute = {.policy = {.name = "mute", .summary = "no pick"}};
  static const WarpSchedulerType taken = {.policy = {.name = "gto", .summary = "a second gto"},
                                          .pick = pick_any};
  static const WarpSchedulerType odd = {.policy = {.name = "a+b", .summary = "a bad name"},
                                        .pick = pick_any};
  static const WarpSchedulerType nameless = {.pick = pick_any};
  const struct {
    PolicyPlugin plugin;
    const char *reason;
  } cases[] = {
      {{POLICY_API_VERSION + 1, "warp_scheduler", &taken.policy}, "recompile it"},
      {{POLICY_API_VERSION, "warp_schedule", &taken.policy}, "unknown policy family"},
      {{POLICY_API_VERSION, NULL, &taken.policy}, "families: warp_scheduler, "},
      {{POLICY_API_VERSION, "warp_scheduler", &mute.policy},
       "mute lacks the required callback pick"},
      {{POLICY_API_VERSION, "warp_scheduler", &taken.policy}, "duplicate warp_scheduler 'gto'"},
      {{POLICY_API_VERSION, "warp_scheduler", &odd.policy}, "a name of letters"},
      {{POLICY_API_VERSION, "warp_scheduler", &nameless.policy}, "a name of letters"},
      {{POLICY_API_VERSION, "warp_scheduler", NULL}, "a name of letters"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_not_added(&cases[i].plugin, cases[i].reason);
}

// A policy whose description does not fit its state, in every family.
static void assert_type_is_refused(PolicyType policy, const char *reason) {
  policy.name = "bad";
  policy.summary = "a bad one";
  for (const PolicyFamily *const *family = policy_families; *family; family++)
    assert_not_added(&(PolicyPlugin){POLICY_API_VERSION, (*family)->name, &policy}, reason);
}

typedef struct Fields {
  uint64_t count;
  uint32_t number, more;
} Fields;

#define STATE .state_size = sizeof(Fields)

static void states_of_absurd_sizes_are_refused(void **state) {
  (void)state;
  const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 1, (size_t)1 << 60, (size_t)1 << 40,
                          POLICY_STATE_BYTES + 1};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    assert_type_is_refused((PolicyType){.state_size = sizes[i]}, "has a state_size of ");
}

static void fields_outside_of_the_state_are_refused(void **state) {
  (void)state;
  Param params[] = {PARAM(Fields, number, 3, 1, 9, "a number"), {0}};
  Stat stats[] = {STAT_COUNT(Fields, count, "a counter"), {0}};
  assert_type_is_refused((PolicyType){.params = params}, "the parameter number at bytes 8 to 12");
  assert_type_is_refused((PolicyType){.stats = stats}, "the counter count outside of its state");
  params[0].offset = sizeof(Fields);
  assert_type_is_refused((PolicyType){STATE, .params = params}, "of a state of 16");
  params[0].offset = SIZE_MAX - 3;
  assert_type_is_refused((PolicyType){STATE, .params = params}, "of a state of 16");
  params[0].offset = 6;
  assert_type_is_refused((PolicyType){STATE, .params = params}, "of a state of 16");
  stats[0].offset = SIZE_MAX - 7;
  assert_type_is_refused((PolicyType){STATE, .stats = stats}, "the counter count");
  stats[0] = (Stat)STAT_RATIO(Fields, rate, count, count, "a ratio");
  stats[0].denominator_offset = 16;
  assert_type_is_refused((PolicyType){STATE, .stats = stats}, "the counter rate");
}

static void corrupt_descriptions_are_refused(void **state) {
  (void)state;
  const Param sound = PARAM(Fields, number, 3, 1, 9, "a number");
  Param params[] = {sound, {0}};
  params[0].help = NULL;
  assert_type_is_refused((PolicyType){STATE, .params = params}, "describes the parameter number");
  params[0] = sound, params[0].type = (ParamType)99;
  assert_type_is_refused((PolicyType){STATE, .params = params}, "describes the parameter number");
  params[0] = sound, params[0].size_bytes = 8;
  assert_type_is_refused((PolicyType){STATE, .params = params}, "describes the parameter number");
  params[0] = sound, params[0].initial = 10;
  assert_type_is_refused((PolicyType){STATE, .params = params}, "in its range");
  params[0] = sound, params[0].type = PARAM_CHOSEN;
  assert_type_is_refused((PolicyType){STATE, .params = params}, "describes the parameter number");
  static const ResultTableType nameless = {.row_bytes = 8};
  static const ResultTableType *const tables[] = {&nameless, NULL};
  assert_type_is_refused((PolicyType){STATE, .tables = tables}, "lists a table without a name");
  static Param endless[POLICY_TABLE_ENTRIES + 2];
  for (size_t i = 0; i < POLICY_TABLE_ENTRIES + 1; i++) endless[i] = sound;
  assert_type_is_refused((PolicyType){STATE, .params = endless}, "without {0} at its end");
}

static void a_name_may_be_taken_in_another_family(void **state) {
  (void)state;
  static const WarpSchedulerType lru = {.policy = {.name = "lru", .summary = "the stalest warp"},
                                        .pick = pick_any};
  const PolicyPlugin plugin = {POLICY_API_VERSION, "warp_scheduler", &lru.policy};
  PolicySet set = {0};
  Error err = {0};
  const PolicyType *type;
  assert_int_equal(policy_set_add(&set, &plugin, "test", NULL), OK);
  assert_int_equal(policy_find(&warp_scheduler_family, &set, "lru", &type, NULL), OK);
  assert_ptr_equal(type, &lru.policy);
  assert_int_equal(policy_set_add(&set, &plugin, "test", &err), ERR_CONFIG);
  assert_non_null(strstr(err.text, "duplicate warp_scheduler 'lru'"));
  policy_set_clear(&set);
}

static void built_in_policies_keep_the_rules_of_plugins(void **state) {
  (void)state;
  for (const PolicyFamily *const *family = policy_families; *family; family++)
    for (const PolicyType *const *type = (*family)->types; *type; type++) {
      assert_true((*type)->summary && (*type)->summary[0]);
      if ((*family)->missing) assert_null((*family)->missing(*type));
      Error err = {0};
      if (policy_type_check(*type, &err) != OK) fail_msg("%s", err.text);
      for (const PolicyType *const *other = (*family)->types; other < type; other++)
        assert_string_not_equal((*type)->name, (*other)->name);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_example_loads_and_answers),
      cmocka_unit_test(files_that_are_no_plugins_are_refused),
      cmocka_unit_test(plugins_that_break_the_rules_are_refused),
      cmocka_unit_test(states_of_absurd_sizes_are_refused),
      cmocka_unit_test(fields_outside_of_the_state_are_refused),
      cmocka_unit_test(corrupt_descriptions_are_refused),
      cmocka_unit_test(a_name_may_be_taken_in_another_family),
      cmocka_unit_test(built_in_policies_keep_the_rules_of_plugins),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
