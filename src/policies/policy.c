// SPDX-License-Identifier: MIT
// Lookup, parameters and checks that all policy families share.
#include "policies/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/closest.h"

const PolicyType *policy_at(const PolicyFamily *family, const PolicySet *more, size_t index) {
  for (const PolicyType *const *each = family->types; *each; each++)
    if (index-- == 0) return *each;
  for (uint32_t i = 0; more && i < more->count; i++)
    if (more->extras[i].family == family && index-- == 0) return more->extras[i].type;
  return NULL;
}

bool policy_is_named(const PolicyType *type, const char *spec) {
  size_t length = strlen(type->name);
  return strncmp(type->name, spec, length) == 0 && (spec[length] == 0 || spec[length] == ':');
}

const char *policy_names(const PolicyFamily *family, const PolicySet *more,
                         char out[POLICY_NAMES_BYTES]) {
  const PolicyType *type;
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; (type = policy_at(family, more, i)) && used < POLICY_NAMES_BYTES; i++)
    used += (size_t)snprintf(out + used, POLICY_NAMES_BYTES - used, "%s%s", i ? ", " : "",
                             type->name);
  return out;
}

Status policy_find(const PolicyFamily *family, const PolicySet *more, const char *spec,
                   const PolicyType **type, Error *err) {
  char names[POLICY_NAMES_BYTES], name[POLICY_SPEC_BYTES];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ":"), spec);
  Closest closest = closest_start(name);
  for (size_t i = 0; (*type = policy_at(family, more, i)); i++) {
    if (policy_is_named(*type, spec)) return OK;
    closest_offer(&closest, (*type)->name);
  }
  return error_set(err, ERR_CONFIG, "unknown %s policy '%s'%s%s%s%s available: %s", family->name,
                   name, CLOSEST_HINT(closest), *closest.best ? "" : ";",
                   policy_names(family, more, names));
}

static Status assign(const ParamSection *sections, const char *text, size_t length, Error *err) {
  char assignment[POLICY_SPEC_BYTES * 2];
  if (length >= POLICY_SPEC_BYTES) return error_set(err, ERR_CONFIG, "%.*s...: too long", 40, text);
  snprintf(assignment, sizeof assignment, "%s.%.*s", sections[0].name, (int)length, text);
  return param_assign(sections, assignment, err);
}

Status policy_set_params(const PolicyType *type, const char *spec, void *state, Error *err) {
  const char *settings = strchr(spec, ':');
  if (!type->params) {
    if (!settings) return OK;
    return error_set(err, ERR_CONFIG, "policy %s has no parameters: unexpected '%s'", type->name,
                     settings + 1);
  }
  ParamSection sections[] = {
      {.name = type->name, .summary = type->summary, .params = type->params, .values = state}, {0}};
  param_set_defaults(sections);
  while (settings && *settings) {
    settings++;
    size_t length = strcspn(settings, ",");
    TRY(assign(sections, settings, length, err));
    settings += length;
  }
  return OK;
}

Status policy_check(const PolicyFamily *family, const PolicySet *more, const char *spec,
                    Error *err) {
  const PolicyType *type;
  Arena scratch = {0};
  TRY(policy_find(family, more, spec, &type, err));
  Status status =
      policy_set_params(type, spec, arena_alloc(&scratch, type->state_size ? type->state_size : 1),
                        err);
  arena_clear(&scratch);
  return status;
}

void policy_is_broken(const PolicyType *type, const char *rule) {
  const char *plugin = plugin_of(type);
  fprintf(stderr, "%s%spolicy %s returned an invalid answer; required: %s\n", plugin ? plugin : "",
          plugin ? ": " : "", type->name, rule);
  if (plugin) _exit(status_exit_code(ERR_CONFIG));  // a mistake in the input, not in heddle
  abort();
}

const char *policy_input(const PolicySetup *setup, const char *name) {
  size_t length = strlen(name);
  for (const char *const *input = setup->inputs; input && *input; input++)
    if (strncmp(*input, name, length) == 0 && (*input)[length] == '=') return *input + length + 1;
  return name;
}
