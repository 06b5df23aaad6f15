// SPDX-License-Identifier: MIT
// Profiling run for policies that need a profile of an earlier run (PolicyType.recorder).
#include "runner/recorded_run.h"

#include <stdio.h>
#include <string.h>

#include "runner/program/program_process.h"
#include "gpu/config/scheme.h"
#include "policies/registry.h"
#include "policies/shared/profiled_reuse.h"
#include "policies/shared/shared.h"
#include "run/run_json.h"

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

// The first run keeps the program, the GPU and its parameters. It uses the GPU's default policies,
// so that the profile does not depend on the policies to be evaluated; its results are dropped.
static RunSpec first_run(RecordedRun *run, const RunSpec *spec, const char *recorder,
                         const char *file) {
  RunSpec first = *spec;
  for (const RunRow *row = run_rows; row->name; row++)
    if (row->is_of_measurement) run_spec_unset(&first, row);
  first.set = (RunList){0};
  for (uint32_t i = 0; i < spec->set.count; i++)
    if (strncmp(spec->set.items[i], "policy.", strlen("policy.")) != 0)
      run_list_add(&first.set, spec->set.items[i], &run->arena);
  first.quiet = true;
  run_list_add(&first.observe, "none", &run->arena);
  run_list_add(&first.observe, arena_printf(&run->arena, "%s:file=%s", recorder, file),
               &run->arena);
  return first;
}

static Status record(RecordedRun *run, const RunSpec *spec, const char *recorder, const char *file,
                     Error *err) {
  RunSpec first = first_run(run, spec, recorder, file);
  const char *path = arena_printf(&run->arena, "%s/run.json", run->folder.path);
  char *words[] = {"/proc/self/exe", "perform", arena_strdup(&run->arena, path), NULL};
  TRY(run_spec_write(&first, NULL, path, err));
  Status status = program_start(words, OUTPUT_TO_FILE, "/dev/null", err);
  if (status == OK) status = program_wait("heddle", err);
  if (status == OK) return OK;
  return error_prefix(err, "recording run for %s failed", recorder);
}

// ---- the second run

// Adds the file to the shared parts of the configuration by the name of the input: its path is
// temporary, and would make the results of two runs differ.
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

Status recorded_run_make(RecordedRun *run, const RunSpec *spec, const RunMachine *machine,
                         Error *err) {
  const PolicyType *part = find_part(&machine->config, &machine->plugins);
  const char *assignment = NULL;
  if (!part || strstr(machine->config.policy.shared, "file=")) return OK;
  TRY(scratch_folder_make(&run->folder, "heddle-record", true, err));
  run->is_made = true;
  run->spec = *spec;
  const char *file = arena_printf(&run->arena, "%s/%s", run->folder.path, part->recorder);
  TRY(name_file(run, &machine->config, part, &assignment, err));
  fprintf(stderr, "heddle: recording %s in a first run\n", part->recorder);
  TRY(record(run, spec, part->recorder, file, err));
  run_list_add(&run->spec.set, assignment, &run->arena);
  run_list_add(&run->spec.input, arena_printf(&run->arena, "%s=%s", PROFILED_REUSE_RECORDED, file),
               &run->arena);
  return OK;
}

void recorded_run_clear(RecordedRun *run) {
  if (run->is_made) scratch_folder_remove(&run->folder);
  arena_clear(&run->arena);
}
