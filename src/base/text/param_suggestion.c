// SPDX-License-Identifier: MIT
// "Did you mean ...?" for parameters: those that a misspelt or incomplete name may stand for.
#include "base/text/param_suggestion.h"

#include <string.h>

#include "base/text/closest.h"

// A part of a name says something from three letters on.
enum { MOST_NAMES = 3, NAME_BYTES = 64, LEAST_PART = 3 };

typedef struct Suggestion {
  char names[MOST_NAMES][NAME_BYTES];
  uint32_t count;
  const char *section;
  bool with_sections;
} Suggestion;

static bool is_own(const Suggestion *to, const ParamSection *section) {
  return to->section && strcmp(section->name, to->section) == 0;
}

static void add(Suggestion *to, const ParamSection *section, const char *key) {
  char name[NAME_BYTES];
  bool is_full = to->with_sections || !is_own(to, section);
  snprintf(name, sizeof name, "%s%s%s", is_full ? section->name : "", is_full ? "." : "", key);
  for (uint32_t i = 0; i < to->count; i++)
    if (strcmp(to->names[i], name) == 0) return;
  if (to->count < MOST_NAMES) strcpy(to->names[to->count++], name);
}

// Typing errors of the section's keys, then keys of which only a part was given.
static void add_own(Suggestion *to, const ParamSection *section, const char *key) {
  Closest closest = closest_start(key);
  for (const Param *param = section->params; param->name; param++)
    closest_offer(&closest, param->name);
  if (*closest.best) add(to, section, closest.best);
  for (const Param *param = section->params; param->name; param++)
    if (strlen(key) >= LEAST_PART && strstr(param->name, key)) add(to, section, param->name);
}

static void add_same_key(Suggestion *to, const ParamSection *section, const char *key) {
  for (const Param *param = section->params; param->name; param++)
    if (strcmp(param->name, key) == 0) add(to, section, param->name);
}

static const char *print(const Suggestion *it, char out[PARAM_SUGGESTION_BYTES]) {
  size_t used = 0;
  out[0] = '\0';
  for (uint32_t i = 0; i < it->count; i++) {
    const char *before = i == 0 ? "; did you mean " : i + 1 < it->count ? ", " : " or ";
    used += (size_t)snprintf(out + used, PARAM_SUGGESTION_BYTES - used, "%s'%s'%s", before,
                             it->names[i], i + 1 == it->count ? "?" : "");
  }
  return out;
}

const char *param_suggestion(const ParamSection *sections, const char *section, const char *key,
                             bool with_sections, char out[PARAM_SUGGESTION_BYTES]) {
  Suggestion found = {.section = section, .with_sections = with_sections};
  for (const ParamSection *at = sections; at->name; at++)
    if (is_own(&found, at)) add_own(&found, at, key);
  bool has_own = found.count > 0;
  for (const ParamSection *at = sections; at->name && !has_own; at++) add_same_key(&found, at, key);
  bool has_any = found.count > 0;
  for (const ParamSection *at = sections; at->name && !has_any && !section; at++)
    add_own(&found, at, key);
  return print(&found, out);
}
