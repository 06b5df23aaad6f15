// SPDX-License-Identifier: MIT
// Schemes: named bundles of policies with their parameters.
#include "gpu/config/scheme.h"

#include <stdio.h>
#include <string.h>

#include "base/text/closest.h"
#include "base/files/config_file.h"
#include "base/files/embedded.h"
#include "base/files/file.h"
#include "base/memory.h"
#include "policies/registry.h"
#include "policies/shared/shared.h"

// ---- choices

static const Param scheme_params[] = {
    PARAM_TEXT(Scheme, summary, "", "one line for `heddle list schemes`"), {0}};

static const Param choice_params[] = {
#define X(family, field) PARAM_TEXT(Scheme, family, "", "policy of this family"),
    SCHEME_FAMILY_LIST(X)
#undef X
        {0}};

static char *choice_of(Scheme *scheme, const PolicyFamily *family) {
#define X(each, field) \
  if (strcmp(family->name, #each) == 0) return scheme->each;
  SCHEME_FAMILY_LIST(X)
#undef X
  return NULL;
}

void scheme_apply(const Scheme *scheme, GpuConfig *config) {
#define X(family, field) \
  if (scheme->family[0]) memcpy(config->field, scheme->family, sizeof scheme->family);
  SCHEME_FAMILY_LIST(X)
#undef X
}

const char *scheme_text(const Scheme *scheme, char out[SCHEME_TEXT_BYTES]) {
  out[0] = '\0';
  size_t used = 0;
#define X(family, field)                                                               \
  if (scheme->family[0])                                                               \
    used += (size_t)snprintf(out + used, SCHEME_TEXT_BYTES - used, "%s" #family "=%s", \
                             used ? " " : "", scheme->family);
  SCHEME_FAMILY_LIST(X)
#undef X
  return out;
}

// Of shared parts a scheme may have several.
static Status choose_shared(char choice[POLICY_SPEC_BYTES], const PolicySet *more,
                            const char *specs, Error *err) {
  for (const char *at = specs; *at;) {
    at += strspn(at, "; ");
    size_t length = strcspn(at, ";"), used = strlen(choice);
    char spec[POLICY_SPEC_BYTES];
    snprintf(spec, sizeof spec, "%.*s", (int)length, at);
    at += length;
    if (!length) continue;
    TRY(policy_check(&shared_family, more, spec, err));
    if (used + length + 3 > POLICY_SPEC_BYTES)
      return error_set(err, ERR_CONFIG, "shared parameters longer than %d characters",
                       POLICY_SPEC_BYTES);
    snprintf(choice + used, POLICY_SPEC_BYTES - used, "%s%s", used ? "; " : "", spec);
  }
  return OK;
}

static Status choose(Scheme *scheme, const PolicyFamily *family, const PolicySet *more,
                     const char *spec, Error *err) {
  char *choice = choice_of(scheme, family);
  if (family == &shared_family) return choose_shared(choice, more, spec, err);
  if (*choice)
    return error_set(err, ERR_CONFIG, "'%s' and '%s' are policies of the same family: %s", choice,
                     spec, family->question);
  TRY(policy_check(family, more, spec, err));
  snprintf(choice, POLICY_SPEC_BYTES, "%s", spec);
  return OK;
}

// ---- files

static const char folder[] = "schemes/", ending[] = ".ini";

const char *scheme_shipped(size_t index, char out[SCHEME_NAME_BYTES]) {
  return embedded_at(folder, ending, index, out) ? out : NULL;
}

static const EmbeddedFile *find_shipped(const char *name) {
  char path[sizeof folder + SCHEME_NAME_BYTES + sizeof ending];
  if (strlen(name) >= SCHEME_NAME_BYTES) return NULL;
  snprintf(path, sizeof path, "%s%.*s%s", folder, SCHEME_NAME_BYTES, name, ending);
  return embedded_find(path);
}

// file: NULL: the word is a path.
static Status add_file(Scheme *scheme, const EmbeddedFile *file, const char *word,
                       const PolicySet *more, Error *err) {
  Scheme read = {0};
  const ParamSection sections[] = {{"scheme", "description", scheme_params, &read},
                                   {"policy", "its choices", choice_params, &read},
                                   {0}};
  if (file)
    TRY(config_text_read(sections, file->name, file->text, file->size_bytes, err));
  else
    TRY(config_file_read(sections, word, err));
  for (const PolicyFamily *const *family = policy_families; *family; family++) {
    const char *choice = choice_of(&read, *family);
    Status status = *choice ? choose(scheme, *family, more, choice, err) : OK;
    if (status != OK) {
      error_prefix(err, "%.200s", file ? file->name : word);
      return status;
    }
  }
  memcpy(scheme->summary, read.summary, sizeof read.summary);
  return OK;
}

// ---- words

static bool family_has(const PolicyFamily *family, const PolicySet *more, const char *spec) {
  const PolicyType *type;
  for (size_t i = 0; (type = policy_at(family, more, i)); i++)
    if (policy_is_named(type, spec)) return true;
  return false;
}

static void offer_names(Closest *closest, const PolicySet *more) {
  const PolicyType *type;
  for (const PolicyFamily *const *family = policy_families; *family; family++)
    for (size_t i = 0; (type = policy_at(*family, more, i)); i++)
      closest_offer(closest, type->name);
}

static Status unknown(const char *word, const PolicySet *more, Error *err) {
  char name[POLICY_SPEC_BYTES], known[3072] = "", shipped[SCHEME_NAME_BYTES];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(word, ":"), word);
  Closest closest = closest_start(name);
  offer_names(&closest, more);
  size_t used = 0;
  for (const PolicyFamily *const *family = policy_families; *family; family++) {
    char names[POLICY_NAMES_BYTES];
    if (used < sizeof known)
      used += (size_t)snprintf(known + used, sizeof known - used, "\n  %s: %s", (*family)->name,
                               policy_names(*family, more, names));
  }
  for (size_t i = 0; scheme_shipped(i, shipped) && used < sizeof known; i++)
    used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                             i ? ", " : "\n  schemes: ", shipped);
  return error_set(err, ERR_CONFIG, "unknown policy or scheme '%.80s'%s%s%s%s", name,
                   CLOSEST_HINT(closest), known);
}

static Status ambiguous(const char *word, const PolicySet *more, Error *err) {
  char ways[1024] = "";
  size_t used = 0;
  for (const PolicyFamily *const *family = policy_families; *family; family++)
    if (family_has(*family, more, word) && used < sizeof ways)
      used += (size_t)snprintf(ways + used, sizeof ways - used, "%s%s=%s", used ? " or " : "",
                               (*family)->name, word);
  if (find_shipped(word) && used < sizeof ways)
    snprintf(ways + used, sizeof ways - used, "; there is also a scheme of that name");
  return error_set(err, ERR_CONFIG, "'%s' is ambiguous; write %s", word, ways);
}

static Status add_name(Scheme *scheme, const char *word, const PolicySet *more, Error *err) {
  const PolicyFamily *found = NULL;
  const EmbeddedFile *file = find_shipped(word);
  int matches = file != NULL;
  for (const PolicyFamily *const *family = policy_families; *family; family++)
    if (family_has(*family, more, word)) {
      found = *family;
      matches++;
    }
  if (matches > 1) return ambiguous(word, more, err);
  if (!matches) return unknown(word, more, err);
  return file ? add_file(scheme, file, word, more, err) : choose(scheme, found, more, word, err);
}

// A parameter may be a path, too.
bool scheme_names_file(const char *word) {
  char start[POLICY_SPEC_BYTES];
  snprintf(start, sizeof start, "%.*s", (int)strcspn(word, "=:"), word);
  return word_is_path(start, ending);
}

// "family=policy": this = precedes that of any parameter.
static Status add_word(Scheme *scheme, const char *word, const PolicySet *more, Error *err) {
  size_t length = strcspn(word, "=:");
  if (scheme_names_file(word)) return add_file(scheme, NULL, word, more, err);
  if (word[length] != '=') return add_name(scheme, word, more, err);
  char name[POLICY_SPEC_BYTES];
  snprintf(name, sizeof name, "%.*s", (int)length, word);
  Closest closest = closest_start(name);
  for (const PolicyFamily *const *family = policy_families; *family; family++) {
    if (strcmp((*family)->name, name) == 0)
      return choose(scheme, *family, more, word + length + 1, err);
    closest_offer(&closest, (*family)->name);
  }
  return error_set(err, ERR_CONFIG, "unknown policy family '%s'%s%s%s (`heddle list policies`)",
                   name, CLOSEST_HINT(closest));
}

static Status parse(Scheme *scheme, const char *text, const PolicySet *more, Error *err) {
  for (const char *at = text;; at++) {
    char word[POLICY_SPEC_BYTES];
    size_t length = strcspn(at, "+");
    const char *first = at + strspn(at, " \t"), *last = at + length;
    while (last > first && (last[-1] == ' ' || last[-1] == '\t')) last--;
    if (last <= first) return error_set(err, ERR_CONFIG, "missing name");
    if ((size_t)(last - first) >= sizeof word)
      return error_set(err, ERR_CONFIG, "'%.40s...' is too long", first);
    memcpy(word, first, (size_t)(last - first));
    word[last - first] = '\0';
    TRY(add_word(scheme, word, more, err));
    at += length;
    if (!*at) return OK;
  }
}

Status scheme_parse(Scheme *scheme, const char *text, const PolicySet *more, Error *err) {
  *scheme = (Scheme){0};
  Status status = parse(scheme, text, more, err);
  if (status != OK) error_prefix(err, "scheme '%.80s'", text);
  return status;
}

Status scheme_config(GpuConfig *config, const char *gpu, const char *scheme, const PolicySet *more,
                     Error *err) {
  Scheme parsed = {0};
  TRY(gpu_config_load(config, gpu ? gpu : GPU_DEFAULT, err));
  if (scheme) TRY(scheme_parse(&parsed, scheme, more, err));
  scheme_apply(&parsed, config);
  return OK;
}
