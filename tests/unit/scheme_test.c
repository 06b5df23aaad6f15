// SPDX-License-Identifier: MIT
// Schemes: families, mistakes, shipped files.
#include "gpu/config/scheme.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policies/plugin.h"
#include "policies/prefetch/prefetch.h"
#include "policies/registry.h"
#include "unit/cmocka_all.h"

// The choices of a scheme, or what is wrong with it.
static const char *read_scheme(const char *text) {
  static char out[SCHEME_TEXT_BYTES];
  static Error err;
  Scheme scheme;
  if (scheme_parse(&scheme, text, NULL, &err) != OK) return err.text;
  return scheme_text(&scheme, out);
}

static void assert_refused(const char *text, const char *reason) {
  Scheme scheme;
  Error err = {0};
  assert_int_equal(scheme_parse(&scheme, text, NULL, &err), ERR_CONFIG);
  if (!strstr(err.text, reason)) fail_msg("'%s' is not in: %s", reason, err.text);
}

static void names_find_their_families(void **state) {
  (void)state;
  assert_string_equal(read_scheme("gto"), "warp_scheduler=gto");
  assert_string_equal(read_scheme("lrr + next_line:degree=2"),
                      "warp_scheduler=lrr prefetch=next_line:degree=2");
  assert_string_equal(read_scheme("  lru+fixed:ctas=3 "), "throttle=fixed:ctas=3 replacement=lru");
  assert_string_equal(read_scheme("xor:folds=2,channel_shift=9"),
                      "address_map=xor:folds=2,channel_shift=9");
}

static void a_family_before_a_name_makes_it_clear(void **state) {
  (void)state;
  assert_string_equal(read_scheme("replacement=fifo + dram_scheduler=fifo"),
                      "replacement=fifo dram_scheduler=fifo");
  assert_string_equal(read_scheme("prefetch=next_line:degree=3"), "prefetch=next_line:degree=3");
  assert_refused("fifo", "write replacement=fifo or dram_scheduler=fifo");
  assert_refused("none", "write prefetch=none or cluster_unit=none");
}

static void mistakes_are_told(void **state) {
  (void)state;
  assert_refused("gtoo", "unknown policy or scheme 'gtoo'; did you mean 'gto'?");
  assert_refused("nothing_like_it", "\n  throttle: all, fixed");
  assert_refused("nothing_like_it", "\n  schemes: ");
  assert_refused("lrr + gto", "policies of the same family: which warp issues next?");
  assert_refused("prefech=none", "unknown policy family 'prefech'; did you mean 'prefetch'?");
  assert_refused("prefetch=gto", "unknown prefetch policy 'gto'; available: none, next_line");
  assert_refused("fixed:ctas=0", "out of range");
  assert_refused("two_level:active=8", "unknown key 'active'");
  assert_refused("gto:x=1", "gto has no parameters");
  assert_refused("", "missing name");
  assert_refused("gto + ", "missing name");
  assert_refused("+gto", "missing name");
  char huge[2000];
  memset(huge, 'a', sizeof huge - 1);
  huge[sizeof huge - 1] = '\0';
  assert_refused(huge, "too long");
}

static void every_family_can_be_chosen(void **state) {
  (void)state;
  for (const PolicyFamily *const *family = policy_families; *family; family++) {
    char text[POLICY_SPEC_BYTES];
    const PolicyType *type = (*family)->types[0];
    snprintf(text, sizeof text, "%s=%s", (*family)->name, type->name);
    assert_string_equal(read_scheme(text), text);
  }
}

static void what_a_scheme_does_not_choose_stays(void **state) {
  (void)state;
  GpuConfig config, before;
  Scheme scheme;
  assert_int_equal(gpu_config_load(&config, "gtx480", NULL), OK);
  before = config;
  assert_int_equal(scheme_parse(&scheme, "lrr + replacement=fifo", NULL, NULL), OK);
  scheme_apply(&scheme, &config);
  assert_string_equal(config.policy.warp_scheduler, "lrr");
  assert_string_equal(config.l1d.replacement, "fifo");
  assert_string_equal(config.l2.replacement, before.l2.replacement);
  assert_string_equal(config.gpu.address_map, before.gpu.address_map);
  assert_string_equal(config.policy.cta_dispatch, before.policy.cta_dispatch);
}

static void a_configuration_is_a_gpu_under_a_scheme(void **state) {
  (void)state;
  GpuConfig config, k40;
  Error err;
  assert_int_equal(scheme_config(&config, NULL, NULL, NULL, &err), OK);
  assert_string_equal(config.gpu.name, GPU_DEFAULT);
  assert_int_equal(scheme_config(&k40, "k40", NULL, NULL, &err), OK);
  assert_int_equal(scheme_config(&config, "k40", "lrr + next_line", NULL, &err), OK);
  assert_string_equal(config.gpu.name, "k40");
  assert_string_equal(config.policy.warp_scheduler, "lrr");
  assert_string_equal(config.policy.prefetch, "next_line");
  assert_string_equal(config.policy.cta_dispatch, k40.policy.cta_dispatch);
  assert_int_equal(scheme_config(&config, "k40", "", NULL, &err), ERR_CONFIG);
  assert_int_equal(scheme_config(&config, "no_such_gpu", NULL, NULL, &err), ERR_CONFIG);
}

static void every_shipped_scheme_reads_and_has_a_summary(void **state) {
  (void)state;
  char name[SCHEME_NAME_BYTES];
  size_t count = 0;
  for (; scheme_shipped(count, name); count++) {
    Scheme scheme;
    Error err;
    if (scheme_parse(&scheme, name, NULL, &err) != OK) fail_msg("%s", err.text);
    assert_true(scheme.summary[0]);
  }
  assert_true(count >= 2);
  assert_string_equal(read_scheme("lookahead + on_demand"),
                      "warp_scheduler=two_level:active_warps=8 cta_dispatch=on_demand "
                      "prefetch=next_line:degree=1");
  assert_refused("plain + gto", "policies of the same family");
}

static const char *write_file(const char *text) {
  static char path[] = "/tmp/heddle_scheme_XXXXXX.ini";
  strcpy(path, "/tmp/heddle_scheme_XXXXXX.ini");
  int file = mkstemps(path, 4);
  assert_true(file >= 0);
  assert_int_equal(write(file, text, strlen(text)), strlen(text));
  close(file);
  return path;
}

static void a_file_is_a_scheme(void **state) {
  (void)state;
  const char *path = write_file("[policy]\nwarp_scheduler = two_level\nreplacement = fifo\n");
  assert_string_equal(read_scheme(path), "warp_scheduler=two_level replacement=fifo");
  remove(path);
  Scheme scheme;
  Error err = {0};
  assert_int_equal(scheme_parse(&scheme, "./no_such.ini", NULL, &err), ERR_IO);
  // A parameter may be a path; it is opened when the policy is made.
  assert_true(scheme_names_file("./mine=2.ini") && scheme_names_file("mine.ini"));
  assert_false(scheme_names_file("shared=reuse_profile:file=/tmp/a.ini"));
  assert_int_equal(scheme_parse(&scheme, "gto + oracle:file=/no/such/file", NULL, &err), OK);
}

static void mistakes_in_a_file_say_where(void **state) {
  (void)state;
  const char *path = write_file("[policy]\nwarp_schduler = gto\n");
  assert_refused(path, ".ini:2: unknown key 'warp_schduler' in [policy]; did you mean");
  remove(path);
  path = write_file("[policy]\nwarp_scheduler = fastest\n");
  assert_refused(path, ".ini: unknown warp_scheduler policy 'fastest'");
  remove(path);
  path = write_file("[sm]\nmax_warps = 3\n");
  assert_refused(path, ".ini:1: unknown section [sm]");
  remove(path);
}

static void plugins_are_found_like_any_other(void **state) {
  (void)state;
  static const PrefetchType mine = {.policy = {.name = "mine", .summary = "a test"}};
  const PolicyPlugin plugin = {POLICY_API_VERSION, "prefetch", &mine.policy};
  PolicySet set = {0};
  Scheme scheme;
  Error err = {0};
  assert_int_equal(policy_set_add(&set, &plugin, "test", NULL), OK);
  assert_int_equal(scheme_parse(&scheme, "gto + mine", &set, NULL), OK);
  assert_string_equal(scheme.prefetch, "mine");
  assert_int_equal(scheme_parse(&scheme, "mime", &set, &err), ERR_CONFIG);
  assert_non_null(strstr(err.text, "did you mean 'mine'?"));
  assert_int_equal(scheme_parse(&scheme, "mine", NULL, NULL), ERR_CONFIG);
  policy_set_clear(&set);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_find_their_families),
      cmocka_unit_test(a_family_before_a_name_makes_it_clear),
      cmocka_unit_test(mistakes_are_told),
      cmocka_unit_test(every_family_can_be_chosen),
      cmocka_unit_test(what_a_scheme_does_not_choose_stays),
      cmocka_unit_test(a_configuration_is_a_gpu_under_a_scheme),
      cmocka_unit_test(every_shipped_scheme_reads_and_has_a_summary),
      cmocka_unit_test(a_file_is_a_scheme),
      cmocka_unit_test(mistakes_in_a_file_say_where),
      cmocka_unit_test(plugins_are_found_like_any_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
