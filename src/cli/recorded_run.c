// SPDX-License-Identifier: MIT
#include "cli/recorded_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/program_process.h"
#include "gpu/scheme.h"
#include "policies/registry.h"
#include "policies/shared/profiled_reuse.h"
#include "policies/shared/shared.h"

// ---- need for a profile

static const char *spec_of(const PolicyFamily *family, const GpuConfig *config) {
#define X(each, field) \
  if (strcmp(family->name, #each) == 0) return config->field;
  SCHEME_FAMILY_LIST(X)
#undef X
  return "";
}

// The shared part with a recorder that a policy of the configuration uses; NULL if none.
static const PolicyType *find_part(const GpuConfig *config, const PolicySet *plugins) {
  const PolicyType *type, *part;
  Error ignored;
  for (const PolicyFamily *const *family = policy_families; *family; family++) {
    const char *spec = *family == &shared_family ? "" : spec_of(*family, config);
    if (!*spec || policy_find(*family, plugins, spec, &type, &ignored) != OK || !type->shares)
      continue;
    if (policy_find(&shared_family, plugins, type->shares, &part, &ignored) == OK && part->recorder)
      return part;
  }
  return NULL;
}

// ---- the first run

// The first run keeps the GPU and its parameters. It uses the GPU's default policies, so that the
// profile does not depend on the policies to be evaluated; its results are dropped.
static bool is_kept(const struct GivenOption *given) {
  static const char *const dropped[] = {"--scheme",   "--json",        "--db",     "--job",
                                        "--observe",  "--quiet",       "--per-sm", "--interval",
                                        "--accesses", "--check",       "--stats-format"};
  for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
    if (strcmp(given->option->name, dropped[i]) == 0) return false;
  return strcmp(given->option->name, "--set") != 0 || strncmp(given->value, "policy.", 7) != 0;
}

static void add(char ***words, uint32_t *count, uint32_t *capacity, const char *word) {
  GROW(*words, *count, *capacity);
  (*words)[(*count)++] = (char *)(size_t)word;
}

static char **first_words(RecordedRun *run, const Arguments *arguments, const char *recorder,
                          const char *file) {
  char **words = NULL;
  uint32_t count = 0, capacity = 0;
  bool is_program = arguments->program && arguments->operands[0] == arguments->program[0];
#define ADD(word) add(&words, &count, &capacity, word)
  ADD("/proc/self/exe");
  ADD("run");
  for (int i = 0; i < arguments->given_count; i++) {
    const struct GivenOption *given = &arguments->given[i];
    if (!is_kept(given)) continue;
    ADD(given->option->name);
    if (given->option->argument) ADD(given->value);
  }
  ADD("--quiet");
  ADD("--observe");
  ADD("none");
  ADD("--observe");
  ADD(arena_printf(&run->arena, "%s:file=%s", recorder, file));
  if (!is_program) ADD(arguments->operands[0]);
  if (arguments->program) ADD("--");
  for (char **word = arguments->program; word && *word; word++) ADD(*word);
  ADD(NULL);
#undef ADD
  return words;
}

static Status record(RecordedRun *run, const Arguments *arguments, const char *recorder,
                     const char *file, Error *err) {
  char **words = first_words(run, arguments, recorder, file);
  Status status = program_start(words, OUTPUT_DROPPED, err);
  if (status == OK) status = program_wait("heddle", err);
  memory_free(words);
  if (status == OK) return OK;
  return error_prefix(err, "recording run for %s failed", recorder);
}

// ---- the second run

// Adds the file to the shared parts of the configuration. Its path is passed in the environment,
// because a temporary name would make the results of two runs differ.
static Status name_file(RecordedRun *run, const GpuConfig *config, const PolicyType *part,
                        const char **assignment, Error *err) {
  const char *given = config->policy.shared;
  if (strchr(given, ';'))
    return error_set(err, ERR_USAGE,
                     "with several shared parts, record a run yourself: heddle run ... --observe "
                     "%s:file=PATH, then shared=%s:file=PATH in the scheme",
                     part->recorder, part->name);
  bool has_part = policy_is_named(part, given);
  if (*given && !has_part)
    return error_set(err, ERR_USAGE, "policy.shared: this scheme does not use '%.80s'", given);
  const char *parameters = has_part ? strchr(given, ':') : NULL;
  *assignment =
      arena_printf(&run->arena, "policy.shared=%s%s%sfile=%s", part->name,
                   parameters ? parameters : ":", parameters ? "," : "", PROFILED_REUSE_RECORDED);
  return OK;
}

static void add_assignment(RecordedRun *run, const Arguments *arguments, const char *assignment) {
  int count = arguments->given_count;
  struct GivenOption *given = ARENA_ARRAY(&run->arena, struct GivenOption, (size_t)count + 1);
  const CliOption *option = arguments->verb->options;
  while (strcmp(option->name, "--set") != 0) option++;
  for (int i = 0; i < count; i++) given[i] = arguments->given[i];
  given[count] = (struct GivenOption){option, assignment};
  run->arguments = *arguments;
  run->arguments.given = given;
  run->arguments.given_count = count + 1;
}

Status recorded_run_make(RecordedRun *run, const Arguments *arguments, const GpuConfig *config,
                         const PolicySet *plugins, Error *err) {
  const PolicyType *part = find_part(config, plugins);
  const char *assignment = NULL;
  if (!part || strstr(config->policy.shared, "file=")) return OK;
  TRY(scratch_folder_make(&run->folder, "heddle-record", true, err));
  run->is_made = true;
  const char *file = arena_printf(&run->arena, "%s/%s", run->folder.path, part->recorder);
  TRY(name_file(run, config, part, &assignment, err));
  fprintf(stderr, "heddle: recording %s in a first run\n", part->recorder);
  TRY(record(run, arguments, part->recorder, file, err));
  add_assignment(run, arguments, assignment);
  if (setenv(PROFILED_REUSE_ENVIRONMENT, file, true))
    return error_set(err, ERR_IO, "%s: cannot be set: %s", PROFILED_REUSE_ENVIRONMENT,
                     strerror(errno));
  return OK;
}

void recorded_run_clear(RecordedRun *run) {
  if (run->is_made) scratch_folder_remove(&run->folder);
  arena_clear(&run->arena);
}
