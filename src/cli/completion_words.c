// SPDX-License-Identifier: MIT
// Only the last part of a word is completed: the name after a comma, the value
// after `=`. The preceding part is printed unchanged.
#include <string.h>

#include "study/study_file.h"
#include "cli/verb.h"
#include "runner/program/workload.h"
#include "gpu/config/scheme.h"
#include "observers/observers.h"
#include "policies/registry.h"

typedef struct Completion {
  const char *word;   // as typed
  const char *typed;  // its last part
  const Verb *verb;
  FILE *file;
} Completion;

// ---- offering

// Whether the word, a comma-separated list, already contains the name.
static bool is_listed(const Completion *completion, const char *name) {
  size_t length = strlen(name);
  const char *at = completion->word;
  while (at < completion->typed) {
    size_t part = strcspn(at, ",");
    if (part == length && strncmp(at, name, length) == 0) return true;
    at += part + (at[part] == ',');
  }
  return false;
}

static void offer(const Completion *completion, const char *name, const char *behind) {
  if (strncmp(name, completion->typed, strlen(completion->typed)) != 0) return;
  if (is_listed(completion, name)) return;
  fprintf(completion->file, "%.*s%s%s\n", (int)(completion->typed - completion->word),
          completion->word, name, behind);
}

static void type_from(Completion *completion, const char *place) {
  completion->typed = place;
}

// Restricts completion to the part after the last of these characters.
static void type_behind(Completion *completion, const char *characters) {
  const char *at = completion->typed;
  for (; *at; at++)
    if (strchr(characters, *at)) type_from(completion, at + 1);
  completion->typed += strspn(completion->typed, " ");
}

// ---- names

static void offer_gpus(Completion *completion) {
  char name[GPU_NAME_BYTES];
  for (size_t i = 0; gpu_config_shipped(i, name); i++) offer(completion, name, "");
}

static void offer_studies(Completion *completion) {
  char name[STUDY_NAME_BYTES];
  for (size_t i = 0; shipped_study(i, name); i++) offer(completion, name, "");
}

static void offer_workloads(Completion *completion) {
  Workload workload;
  bool found = true;
  for (size_t i = 0; workload_at(i, &workload, &found, NULL) == OK && found; i++)
    offer(completion, workload.name, "");
}

static void offer_verbs(Completion *completion) {
  for (const Verb *const *verb = all_verbs; *verb; verb++) offer(completion, (*verb)->name, "");
}

// Words separated by bars, up to a blank.
static void offer_choices(Completion *completion, const char *choices) {
  while (*choices && *choices != ' ') {
    char name[64];
    size_t length = strcspn(choices, "| ");
    snprintf(name, sizeof name, "%.*s", (int)length, choices);
    offer(completion, name, "");
    choices += length + (choices[length] == '|');
  }
}

// Names and, after a name and colon, its parameters.
static void offer_policies(Completion *completion, const PolicyFamily *family) {
  const char *colon = strchr(completion->typed, ':');
  const PolicyType *type;
  for (size_t i = 0; (type = policy_at(family, NULL, i)); i++) {
    if (!colon) offer(completion, type->name, "");
    if (!colon || !policy_is_named(type, completion->typed)) continue;
    Completion parameter = *completion;
    type_behind(&parameter, ":,");
    for (const Param *param = type->params; param && param->name; param++)
      offer(&parameter, param->name, "=");
  }
}

// Shipped schemes and all policies.
static void offer_schemes(Completion *completion) {
  char name[SCHEME_NAME_BYTES];
  for (size_t i = 0; scheme_shipped(i, name); i++) offer(completion, name, "");
  for (const PolicyFamily *const *family = policy_families; *family; family++)
    offer_policies(completion, *family);
}

static void offer_observers(Completion *completion) {
  offer_policies(completion, &observer_family);
  offer(completion, "all", "");
  offer(completion, "none", "");
}

// ---- parameters: section, key, value

// The policy family that section.key selects from, or NULL. Every cache has a
// replacement policy.
static const PolicyFamily *family_of(const char *section, const char *key) {
  char name[128];
  const char *family = key;
  snprintf(name, sizeof name, "%s.%s", section, key);
#define X(each, field) \
  if (strcmp(name, #field) == 0) family = #each;
  SCHEME_FAMILY_LIST(X)
#undef X
  for (const PolicyFamily *const *each = policy_families; *each; each++)
    if (strcmp((*each)->name, family) == 0) return *each;
  return NULL;
}

static void offer_values(Completion *completion, const char *section, const Param *param) {
  const PolicyFamily *family = param->type == PARAM_STRING ? family_of(section, param->name) : NULL;
  if (param->type == PARAM_BOOL) offer_choices(completion, "true|false");
  for (const char *const *choice = param->choices; choice && *choice; choice++)
    offer(completion, *choice, "");
  if (family) offer_policies(completion, family);
}

static void offer_params(Completion *completion) {
  GpuConfig config;
  ParamSection sections[GPU_SECTION_COUNT + 1];
  char name[128];
  const char *typed = completion->typed, *equals = strchr(typed, '=');
  if (gpu_config_load(&config, GPU_DEFAULT, NULL) != OK) return;
  gpu_config_sections(&config, sections);
  for (const ParamSection *section = sections; section->name; section++) {
    if (!strchr(typed, '.')) offer(completion, section->name, ".");
    for (const Param *param = section->params; strchr(typed, '.') && param->name; param++) {
      snprintf(name, sizeof name, "%s.%s", section->name, param->name);
      if (!equals) offer(completion, name, "=");
      if (!equals || strlen(name) != (size_t)(equals - typed) ||
          strncmp(name, typed, strlen(name)) != 0)
        continue;
      Completion value = *completion;
      type_from(&value, equals + 1);
      offer_values(&value, section->name, param);
    }
  }
}

// ---- options and operands

static bool is_choice(const char *text) {
  return text[0] >= 'a' && text[0] <= 'z';
}

static void offer_argument(Completion *completion, const CliOption *option) {
  static const struct {
    const char *option;
    void (*offer)(Completion *completion);
  } kinds[] = {{"--gpu", offer_gpus},           {"--scheme", offer_schemes},
               {"--schemes", offer_schemes},    {"--observe", offer_observers},
               {"--study", offer_studies},      {"--set", offer_params},
               {"--sweep", offer_params}};
  if (!option->argument) return;
  if (strstr(option->argument, ",...")) type_behind(completion, ",");
  if (strstr(option->argument, " + ")) type_behind(completion, "+");
  if (is_choice(option->argument)) offer_choices(completion, option->argument);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kinds[i].option, option->name) == 0) kinds[i].offer(completion);
}

static const CliOption *find_in(const CliOption *options, const char *word, size_t length) {
  for (const CliOption *option = options; option->name; option++)
    if (strlen(option->name) == length && strncmp(option->name, word, length) == 0) return option;
  return NULL;
}

static const CliOption *find_option(const Verb *verb, const char *word, size_t length) {
  const CliOption *own = find_in(verb->options, word, length);
  return own || verb->takes_all_words ? own : find_in(common_options, word, length);
}

static void offer_options(Completion *completion) {
  const char *equals = strchr(completion->word, '=');
  if (equals) {
    const CliOption *option =
        find_option(completion->verb, completion->word, (size_t)(equals - completion->word));
    type_from(completion, equals + 1);
    if (option) offer_argument(completion, option);
    return;
  }
  for (const CliOption *option = completion->verb->options; option->name; option++)
    if (!strchr(option->name, ',')) offer(completion, option->name, "");
  const Verb *verb = completion->verb;
  for (const CliOption *option = common_options; option->name && !verb->takes_all_words; option++)
    offer(completion, option->name, "");
  offer(completion, "--help", "");
}

static void offer_operands(Completion *completion) {
  const Verb *verb = completion->verb;
  if (is_choice(verb->operands)) offer_choices(completion, verb->operands);
  if (strstr(verb->operands, "WORKLOAD")) offer_workloads(completion);
  if (verb == &study_verb) offer_studies(completion);
  if (verb == &help_verb) offer_verbs(completion);
}

// ---- the whole line

static const Verb *find_verb(const char *name) {
  for (const Verb *const *verb = all_verbs; *verb; verb++)
    if (strcmp((*verb)->name, name) == 0) return *verb;
  return NULL;
}

static void complete_verb(Completion *completion) {
  offer_verbs(completion);
  offer(completion, "--help", "");
  offer(completion, "--version", "");
}

void completion_words(char *const *words, FILE *file) {
  size_t count = 0;
  while (words[count]) {
    // A program and its arguments follow.
    if (strcmp(words[count++], "--") == 0 && words[count]) return;
  }
  if (!count) return;
  Completion completion = {.word = words[count - 1], .typed = words[count - 1], .file = file};
  if (count == 1) {
    complete_verb(&completion);
    return;
  }
  if (!(completion.verb = find_verb(words[0]))) return;
  const char *before = words[count - 2];
  const CliOption *option = count > 2 ? find_option(completion.verb, before, strlen(before)) : NULL;
  if (option && option->argument)
    offer_argument(&completion, option);
  else if (completion.word[0] == '-')
    offer_options(&completion);
  else
    offer_operands(&completion);
}
