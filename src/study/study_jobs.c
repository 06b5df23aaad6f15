// SPDX-License-Identifier: MIT
// The key of a job is a digest of everything that determines the result: heddle, the
// resolved configuration, the program file, its arguments, and the observers.
#include "study/study_jobs.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "base/files/own_folder.h"
#include "base/text/text_list.h"
#include "runner/program/program_environment.h"
#include "base/text/shell_words.h"
#include "study/study_config.h"
#include "clustering/rewriting.h"
#include "runner/run_store.h"
#include "runner/program/workload.h"
#include "run/run_identity.h"
#include "run/run_machine.h"
#include "runner/run_input.h"
#include "frontends/accelsim/kernels_list.h"
#include "frontends/casefile/case.h"
#include "base/digest.h"

// State while jobs are made.
typedef struct Maker {
  const Study *study;
  const RunList *plugin;  // paths
  PolicySet plugins;
  StudyJobs *made;
  Arena *arena;
  char own[OWN_FOLDER_BYTES];  // heddle
  uint64_t common;     // digest of the part common to all jobs
  uint64_t *programs;  // digests, by workload and variant
  StudyConfig *configs;
} Maker;

// Records a file whose content determines the result.
static void add_file(const Maker *maker, const char *path) {
  StudyJobs *made = maker->made;
  GROW(made->files, made->file_count, made->file_capacity);
  made->files[made->file_count++] = arena_strdup(maker->arena, path);
}

// ---- programs

static RunProgram kind_of(const StudyItem *item) {
  return run_spec_program(&(RunSpec){.program = item->is});
}

static bool is_workload(const StudyItem *item) {
  return kind_of(item) == RUN_WORKLOAD;
}

static Status digest_listed(const Maker *maker, const char *path, uint64_t *digest, Error *err) {
  add_file(maker, path);
  return digest_add_file(digest, path, err);
}

// The case file and all files that it loads.
static Status digest_case(const Maker *maker, const char *path, uint64_t *digest, Error *err) {
  Case *parsed;
  TRY(case_read(&parsed, path, err));
  Status status = digest_listed(maker, path, digest, err);
  for (uint32_t i = 0; i < parsed->command_count && status == OK; i++)
    if (parsed->commands[i].path)
      status = digest_listed(maker, parsed->commands[i].path, digest, err);
  case_destroy(parsed);
  return status;
}

// The list and the traces of its kernels; a single kernel's trace is a list of itself.
static Status digest_trace(const Maker *maker, const char *path, uint64_t *digest, Error *err) {
  KernelsList list;
  TRY(kernels_list_read(&list, path, maker->arena, err));
  Status status = digest_listed(maker, path, digest, err);
  for (uint32_t i = 0; i < list.count && status == OK; i++)
    if (list.commands[i].kernel)
      status = digest_listed(maker, list.commands[i].kernel, digest, err);
  return status;
}

static const StudyItem no_variant = {0};

// The variants, or one that changes nothing.
static const StudyItem *variant_at(const Study *study, uint32_t index) {
  int dimension = study_variants(study);
  return dimension == NO_DIMENSION ? &no_variant : &study->dimensions[dimension].items[index];
}

static uint32_t variant_count(const Study *study) {
  int dimension = study_variants(study);
  return dimension == NO_DIMENSION ? 1 : study->dimensions[dimension].count;
}

static Status digest_workload(const Maker *maker, const StudyItem *item, const StudyItem *variant,
                              uint64_t *digest, Error *err) {
  Workload workload;
  char path[PATH_MAX];
  TRY(workload_find(item->is, &workload, err));
  TRY(workload_build(&workload, variant->cluster, path, err));
  *digest = digest_add_text(*digest, workload.name);
  if (*workload.arguments) *digest = digest_add_text(*digest, workload.arguments);
  return digest_listed(maker, path, digest, err);
}

static Status digest_program(const Maker *maker, const StudyItem *item, const StudyItem *variant,
                             uint64_t *digest, Error *err) {
  *digest = digest_start();
  if (is_workload(item)) return digest_workload(maker, item, variant, digest, err);
  if (kind_of(item) == RUN_CASE) return digest_case(maker, item->is, digest, err);
  if (kind_of(item) == RUN_TRACE) return digest_trace(maker, item->is, digest, err);
  return digest_listed(maker, item->is, digest, err);
}

static const char *size_of(const Maker *maker, const StudyItem *workload) {
  if (!is_workload(workload)) return NULL;
  if (workload->size) return workload->size;
  return text_or(maker->study->run.size, "small");
}

// Checks names, sizes and files without building anything.
static Status check_programs(const Maker *maker, Error *err) {
  const StudyDimension *workloads = &maker->study->dimensions[BY_WORKLOAD];
  for (uint32_t i = 0; i < workloads->count; i++) {
    const StudyItem *item = &workloads->items[i];
    const char *size = size_of(maker, item);
    Workload workload;
    // Of a file that cannot be run, the reason says more than that it is not a workload.
    if (!is_workload(item) || workload_find(item->is, &workload, err) != OK)
      TRY(run_input_check(item->is, true, err));
    if (is_workload(item)) TRY(workload_find(item->is, &workload, err));
    if (size && workload_check_size(size, err) != OK) return error_prefix(err, "%s", item->name);
    if (!is_workload(item) && access(item->is, R_OK) != 0)
      return error_set(err, ERR_IO, "cannot open %s: %s", item->is, strerror(errno));
  }
  return OK;
}

static Status digest_programs(Maker *maker, Error *err) {
  const StudyDimension *workloads = &maker->study->dimensions[BY_WORKLOAD];
  uint32_t variants = variant_count(maker->study);
  maker->programs = ARENA_ARRAY(maker->arena, uint64_t, workloads->count * variants);
  for (uint32_t i = 0; i < workloads->count * variants; i++)
    TRY(digest_program(maker, &workloads->items[i / variants],
                       variant_at(maker->study, i % variants), &maker->programs[i], err));
  return OK;
}

// Only sources can be rewritten, and Heddle has those of workloads.
static Status check_variants(const Maker *maker, Error *err) {
  const StudyDimension *workloads = &maker->study->dimensions[BY_WORKLOAD];
  for (uint32_t v = 0; v < variant_count(maker->study); v++) {
    const StudyItem *variant = variant_at(maker->study, v);
    RewriteRequest request = {0};
    if (!variant->cluster) continue;
    if (rewriting_parse(&request, variant->cluster, maker->arena, err) != OK)
      return error_prefix(err, "[variant %s] cluster", variant->name);
    for (uint32_t i = 0; i < workloads->count; i++)
      if (!is_workload(&workloads->items[i]))
        return error_set(err, ERR_USAGE,
                         "[variant %s]: %s cannot be rewritten, as only workloads have sources",
                         variant->name, workloads->items[i].name);
  }
  return OK;
}

// ---- common part

static Status digest_common(Maker *maker, Error *err) {
  TRY(own_program(maker->own, err));
  maker->common = digest_start();
  for (uint32_t i = 0; i < maker->plugin->count; i++)
    TRY(digest_listed(maker, maker->plugin->items[i], &maker->common, err));
  maker->made->heddle = maker->own;
  add_file(maker, maker->own);
  return digest_add_file(&maker->common, "/proc/self/exe", err);
}

// Heddle's replacements of the CUDA libraries, in which programs are simulated; case files do not
// need them.
static Status digest_libraries(Maker *maker, Error *err) {
  char folder[PATH_MAX];
  Error ignored;
  if (program_libraries_find(folder, &ignored) != OK) return OK;
  return digest_listed(maker, arena_printf(maker->arena, "%s/libheddle.so", folder), &maker->common,
                       err);
}

// Configuration files. The keys contain the resolved configuration, not their
// content.
static void add_config_files(const Maker *maker) {
  for (Dimension dimension = BY_GPU; dimension <= BY_SCHEME; dimension++) {
    const StudyDimension *items = &maker->study->dimensions[dimension];
    for (uint32_t i = 0; i < items->count; i++)
      if (access(items->items[i].is, R_OK) == 0 && strpbrk(items->items[i].is, "/."))
        add_file(maker, items->items[i].is);
  }
}

// ---- one job

static void add_parts(RunList *list, const char *text, Arena *arena) {
  const char *part;
  while ((part = text_list_next(&text, ';', arena))) run_list_add(list, part, arena);
}

static const StudyItem *variant_of(const Study *study, const uint32_t at[MAX_DIMENSIONS]) {
  int dimension = study_variants(study);
  return variant_at(study, dimension == NO_DIMENSION ? 0 : at[dimension]);
}

// Those of the variant replace the study's.
static void use_observers(RunSpec *spec, const StudyItem *variant, Arena *arena) {
  if (!variant->observe) return;
  spec->observe = (RunList){0};
  add_parts(&spec->observe, variant->observe, arena);
}

static Status make_spec(const Maker *maker, const uint32_t at[MAX_DIMENSIONS], RunSpec *spec,
                        Error *err) {
  const Study *study = maker->study;
  const StudyItem *workload = &study->dimensions[BY_WORKLOAD].items[at[BY_WORKLOAD]];
  char **words = NULL;
  *spec = study->run;
  spec->program = workload->is;
  spec->kind = run_program_kinds[kind_of(workload)];
  spec->size = size_of(maker, workload);
  if (workload->kernels) spec->kernels = workload->kernels;
  spec->gpu = study->dimensions[BY_GPU].items[at[BY_GPU]].is;
  spec->scheme = study->dimensions[BY_SCHEME].items[at[BY_SCHEME]].is;
  spec->set = maker->configs[study_config_position(study, at)].sets;
  spec->plugin = *maker->plugin;
  spec->strict = spec->quiet = true;
  const StudyItem *variant = variant_of(study, at);
  const char *arguments =
      study_arguments(workload, study->dimensions[BY_GPU].items[at[BY_GPU]].name, spec->size);
  spec->variant = variant->cluster;
  add_parts(&spec->environment, variant->environment, maker->arena);
  if (arguments) TRY(shell_split(maker->arena, arguments, &words, err));
  for (; words && *words; words++) run_list_add(&spec->arguments, *words, maker->arena);
  use_observers(spec, variant, maker->arena);
  return OK;
}

static const char *make_key(const Maker *maker, const uint32_t at[MAX_DIMENSIONS],
                            const RunSpec *spec) {
  char key[DIGEST_BYTES];
  int variants = study_variants(maker->study);
  uint32_t variant = variants == NO_DIMENSION ? 0 : at[variants];
  uint64_t program = maker->programs[at[BY_WORKLOAD] * variant_count(maker->study) + variant];
  uint64_t config = maker->configs[study_config_position(maker->study, at)].digest;
  uint64_t digest = digest_add(maker->common, &program, sizeof program);
  digest = digest_add(digest, &config, sizeof config);
  return arena_strdup(maker->arena, digest_print(run_digest_add_values(digest, spec), key));
}

static Status make_job(const Maker *maker, size_t position, Job *job, StudyRun *run,
                       RunLabels *labels, Error *err) {
  const Study *study = maker->study;
  uint32_t at[MAX_DIMENSIONS];
  study_combination(study, position, at);
  const StudyItem *workload = &study->dimensions[BY_WORKLOAD].items[at[BY_WORKLOAD]];
  const StudyItem *gpu = &study->dimensions[BY_GPU].items[at[BY_GPU]];
  const StudyItem *scheme = &study->dimensions[BY_SCHEME].items[at[BY_SCHEME]];
  RunSpec *spec = ARENA_NEW(maker->arena, RunSpec);
  TRY(make_spec(maker, at, spec, err));
  job->label = arena_printf(maker->arena, "%s %s %s", workload->name, gpu->name, scheme->name);
  for (uint32_t i = BY_SWEEP; i < study->dimension_count; i++)
    job->label = arena_printf(maker->arena, "%s %s=%s", job->label, study->dimensions[i].name,
                              study->dimensions[i].items[at[i]].name);
  spec->job = job->key = make_key(maker, at, spec);
  job->spec = spec;
  *run = (StudyRun){workload->name, gpu->name, scheme->name, job->key, variant_of(study, at)->name};
  *labels = run_labels(spec, maker->arena);
  return OK;
}

// What the runs of a variant have in common; GPUs, schemes and parameters are checked with the
// configurations.
static Status check_run(const Maker *maker, const StudyItem *variant, Error *err) {
  RunSpec spec = maker->study->run;
  RunMachine machine = {0};
  GpuConfig *config = memory_alloc(sizeof *config);
  spec.plugin = *maker->plugin;
  use_observers(&spec, variant, maker->arena);
  Status status = run_resolve_with(&machine, &spec, config, err);
  run_machine_clear(&machine);
  memory_free(config);
  return status;
}

// All checks precede the first build of a workload.
static Status make_all(Maker *maker, StudyJobs *made, Error *err) {
  size_t count = study_run_count(maker->study);
  TRY(run_plugins_load(&maker->plugins, maker->plugin, err));
  TRY(check_programs(maker, err));
  TRY(check_variants(maker, err));
  for (uint32_t i = 0; i < variant_count(maker->study); i++)
    TRY(check_run(maker, variant_at(maker->study, i), err));
  TRY(study_configs_make(maker->study, &maker->plugins, maker->arena, &maker->configs, err));
  TRY(digest_common(maker, err));
  TRY(digest_libraries(maker, err));
  TRY(digest_programs(maker, err));
  add_config_files(maker);
  made->jobs = ARENA_ARRAY(&made->arena, Job, count);
  made->runs = ARENA_ARRAY(&made->arena, StudyRun, count);
  made->labels = ARENA_ARRAY(&made->arena, RunLabels, count);
  for (; made->count < count; made->count++)
    TRY(make_job(maker, made->count, &made->jobs[made->count], &made->runs[made->count],
                 &made->labels[made->count], err));
  return OK;
}

Status study_jobs_make(StudyJobs *made, const Study *study, const RunList *plugins, Error *err) {
  *made = (StudyJobs){0};
  Maker *maker = ARENA_NEW(&made->arena, Maker);
  maker->study = study;
  maker->plugin = plugins;
  maker->made = made;
  maker->arena = &made->arena;
  Status status = make_all(maker, made, err);
  policy_set_clear(&maker->plugins);
  if (status != OK) study_jobs_clear(made);
  return status;
}

void study_jobs_clear(StudyJobs *made) {
  memory_free(made->files);
  arena_clear(&made->arena);
  *made = (StudyJobs){0};
}
