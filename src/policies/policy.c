// SPDX-License-Identifier: MIT
#include "policies/policy.h"

#include <stdio.h>
#include <string.h>

static bool is_named(const PolicyType *type, const char *spec) {
  size_t length = strlen(type->name);
  return strncmp(type->name, spec, length) == 0 && (spec[length] == 0 || spec[length] == ':');
}

Status policy_find(const PolicyFamily *family, const char *spec, const PolicyType **type,
                   Error *err) {
  for (const PolicyType *const *each = family->types; *each; each++)
    if (is_named(*each, spec)) {
      *type = *each;
      return OK;
    }
  char names[512];
  size_t used = 0;
  for (const PolicyType *const *each = family->types; *each && used < sizeof names; each++)
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                             (*each)->name);
  return error_set(err, ERR_CONFIG, "no %s policy is called %.*s; there are: %s", family->name,
                   (int)strcspn(spec, ":"), spec, names);
}

static Status assign(const ParamSection *sections, const char *text, size_t length, Error *err) {
  char assignment[POLICY_SPEC_BYTES * 2];
  if (length >= POLICY_SPEC_BYTES)
    return error_set(err, ERR_CONFIG, "%.*s... is too long", 40, text);
  snprintf(assignment, sizeof assignment, "%s.%.*s", sections[0].name, (int)length, text);
  return param_assign(sections, assignment, err);
}

Status policy_init(const PolicyType *type, const char *spec, void *state, Error *err) {
  const char *settings = strchr(spec, ':');
  if (!type->params) {
    if (!settings) return OK;
    return error_set(err, ERR_CONFIG, "policy %s has no parameters, so %s makes no sense",
                     type->name, settings + 1);
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
