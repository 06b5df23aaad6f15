// SPDX-License-Identifier: MIT
// Small cases on whole machines with chosen policies, built-in or the test's own.
#ifndef TIMING_POLICY_RIG_H
#define TIMING_POLICY_RIG_H

#include "unit/cmocka_all.h"

#include <string.h>

#include "gpu/config/scheme.h"
#include "policies/plugin.h"
#include "timing/small_cases.h"

static inline Case *parse(const char *name) {
  Case *parsed = NULL;
  Error err;
  for (int i = 0; i < SMALL_CASE_COUNT; i++)
    if (strcmp(small_cases[i].name, name) == 0 &&
        small_case_parse(&parsed, &small_cases[i], &err) != OK)
      fail_msg("%s", err.text);
  assert_non_null(parsed);
  return parsed;
}

static inline GpuConfig load(const char *gpu, const char *scheme_text_, const PolicySet *more) {
  GpuConfig config;
  Error err;
  if (scheme_config(&config, gpu, *scheme_text_ ? scheme_text_ : NULL, more, &err) != OK)
    fail_msg("%s", err.text);
  return config;
}

static inline CaseOutcome run(const Case *parsed, const GpuConfig *config,
                              const CaseOutcomeOptions *options) {
  CaseOutcome outcome;
  Error err;
  if (case_outcome_run(&outcome, parsed, config, options, &err) != OK)
    fail_msg("%s on %s: %s", parsed->source.path, config->gpu.name, err.text);
  return outcome;
}

static inline CaseOutcome run_scheme(const char *name, const char *gpu, const char *scheme,
                                     const PolicySet *more) {
  Case *parsed = parse(name);
  GpuConfig config = load(gpu, scheme, more);
  CaseOutcome outcome = run(parsed, &config, &(CaseOutcomeOptions){.gpu.policies = more});
  case_destroy(parsed);
  return outcome;
}

// A set with one policy of the test's own; the caller clears it.
static inline PolicySet set_of(const char *family, const PolicyType *type) {
  PolicySet set = {0};
  Error err;
  const PolicyPlugin plugin = {POLICY_API_VERSION, family, type};
  if (policy_set_add(&set, &plugin, "test", &err) != OK) fail_msg("%s", err.text);
  return set;
}

#endif
