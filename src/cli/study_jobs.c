// SPDX-License-Identifier: MIT
// A job's key is a digest of all that decides the result: heddle, the resolved
// configuration, the program's file, its arguments, and what is recorded.
#include "cli/study_jobs.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/arguments.h"
#include "cli/shell_words.h"
#include "cli/workload.h"
#include "frontends/casefile/case.h"
#include "gpu/scheme.h"
#include "policies/plugin.h"
#include "store/digest.h"

typedef struct Words {
  char **items;
  size_t count, capacity;
} Words;

// Where jobs are made.
typedef struct Maker {
  const Study *study;
  const Arguments *arguments;
  const char *db;
  PolicySet plugins;
  Arena *arena;
  char own[PATH_MAX];  // heddle
  uint64_t common;     // digest of what all jobs share
  uint64_t *programs;  // digests, by workload
} Maker;

static void add_word(Words *words, const char *word) {
  GROW(words->items, words->count, words->capacity);
  words->items[words->count++] = (char *)(size_t)word;
}

static void add_option(Words *words, const char *option, const char *value) {
  if (!value) return;
  add_word(words, option);
  add_word(words, value);
}

// Each part of a list with semicolons.
static void add_options(Words *words, Arena *arena, const char *option, const char *list) {
  while (list && *list) {
    size_t length = strcspn(list, ";");
    const char *first = list + strspn(list, " ");
    const char *last = list + length;
    while (last > first && last[-1] == ' ') last--;
    if (last > first)
      add_option(words, option, arena_strndup(arena, first, (size_t)(last - first)));
    list += length + (list[length] == ';');
  }
}

// ---- programs

static bool is_workload(const StudyItem *item) {
  return !word_is_path(item->is, CASE_ENDING);
}

// The case and all that it loads.
static Status digest_case(const char *path, uint64_t *digest, Error *err) {
  Case *parsed;
  TRY(case_read(&parsed, path, err));
  Status status = digest_add_file(digest, path, err);
  for (uint32_t i = 0; i < parsed->command_count && status == OK; i++)
    if (parsed->commands[i].path) status = digest_add_file(digest, parsed->commands[i].path, err);
  case_destroy(parsed);
  return status;
}

static Status digest_program(const StudyItem *item, uint64_t *digest, Error *err) {
  Workload workload;
  char path[PATH_MAX];
  *digest = digest_start();
  if (path_ends_with(item->is, CASE_ENDING)) return digest_case(item->is, digest, err);
  if (!is_workload(item)) return digest_add_file(digest, item->is, err);
  TRY(workload_find(item->is, &workload, err));
  TRY(workload_build(&workload, path, err));
  *digest = digest_add_text(*digest, workload.name);
  if (*workload.arguments) *digest = digest_add_text(*digest, workload.arguments);
  return digest_add_file(digest, path, err);
}

static const char *size_of(const Maker *maker, const StudyItem *workload) {
  if (!is_workload(workload)) return NULL;
  if (workload->size) return workload->size;
  return maker->study->size ? maker->study->size : "small";
}

static Status digest_programs(Maker *maker, Error *err) {
  const Study *study = maker->study;
  maker->programs = ARENA_ARRAY(maker->arena, uint64_t, study->item_count[BY_WORKLOAD]);
  for (uint32_t i = 0; i < study->item_count[BY_WORKLOAD]; i++) {
    const StudyItem *item = &study->items[BY_WORKLOAD][i];
    const char *size = size_of(maker, item);
    if (size && workload_check_size(size, err) != OK) return error_prefix(err, "%s", item->name);
    TRY(digest_program(item, &maker->programs[i], err));
  }
  return OK;
}

// ---- what all share

static Status digest_common(Maker *maker, Error *err) {
  const Study *study = maker->study;
  ssize_t length = readlink("/proc/self/exe", maker->own, sizeof maker->own - 1);
  if (length < 0) return error_set(err, ERR_IO, "cannot tell where heddle is");
  maker->common = digest_add_text(digest_start(), study->observe);
  maker->common = digest_add(maker->common, &study->interval_cycles, sizeof study->interval_cycles);
  const char *plugin;
  for (int i = 0; (plugin = arguments_next(maker->arguments, "--plugin", &i));)
    TRY(digest_add_file(&maker->common, plugin, err));
  return digest_add_file(&maker->common, "/proc/self/exe", err);
}

// ---- configurations

static Status assign_all(GpuConfig *config, Arena *arena, const char *list, Error *err) {
  Words parts = {0};
  Status status = OK;
  add_options(&parts, arena, "", list);
  for (size_t i = 1; i < parts.count && status == OK; i += 2)
    status = gpu_config_assign(config, parts.items[i], err);
  memory_free(parts.items);
  return status;
}

// The resolved configuration as text; a mistake in it is found before any run.
static Status resolve(const Maker *maker, const StudyItem *gpu, const StudyItem *scheme,
                      char **text, Error *err) {
  GpuConfig config;
  Scheme parsed;
  ParamSection sections[GPU_SECTION_COUNT + 1];
  TRY(gpu_config_load(&config, gpu->is, err));
  TRY(scheme_parse(&parsed, scheme->is, &maker->plugins, err));
  scheme_apply(&parsed, &config);
  TRY(assign_all(&config, maker->arena, maker->study->set, err));
  TRY(assign_all(&config, maker->arena, gpu->set, err));
  TRY(assign_all(&config, maker->arena, scheme->set, err));
  gpu_config_sections(&config, sections);
  json_t *json = param_json(sections);
  *text = json_dumps(json, JSON_COMPACT);
  json_decref(json);
  return OK;
}

// ---- one job

static Status make_key(const Maker *maker, uint32_t w, const StudyItem *gpu,
                       const StudyItem *scheme, Job *job, Error *err) {
  const StudyItem *workload = &maker->study->items[BY_WORKLOAD][w];
  char *config, key[DIGEST_BYTES];
  if (resolve(maker, gpu, scheme, &config, err) != OK)
    return error_prefix(err, "%s with %s", gpu->name, scheme->name);
  uint64_t digest = digest_add(maker->common, &maker->programs[w], sizeof maker->programs[w]);
  digest = digest_add_text(digest, config);
  digest = digest_add_text(digest, size_of(maker, workload));
  digest = digest_add_text(digest, workload->arguments);
  free(config);
  job->key = arena_strdup(maker->arena, digest_print(digest, key));
  return OK;
}

static Status make_words(const Maker *maker, const StudyItem *workload, const StudyItem *gpu,
                         const StudyItem *scheme, Job *job, Error *err) {
  const Study *study = maker->study;
  Words words = {0};
  char **more = NULL;
  bool is_program = !is_workload(workload) && !path_ends_with(workload->is, CASE_ENDING);
  add_word(&words, maker->own);
  add_word(&words, "run");
  if (!is_program) add_word(&words, workload->is);
  add_option(&words, "--size", size_of(maker, workload));
  add_option(&words, "--gpu", gpu->is);
  add_option(&words, "--scheme", scheme->is);
  add_options(&words, maker->arena, "--set", study->set);
  add_options(&words, maker->arena, "--set", gpu->set);
  add_options(&words, maker->arena, "--set", scheme->set);
  add_options(&words, maker->arena, "--observe", study->observe);
  const char *plugin;
  for (int i = 0; (plugin = arguments_next(maker->arguments, "--plugin", &i));)
    add_option(&words, "--plugin", plugin);
  if (study->interval_cycles)
    add_option(&words, "--interval",
               arena_printf(maker->arena, "%llu", (unsigned long long)study->interval_cycles));
  add_word(&words, "--quiet");
  add_option(&words, "--db", maker->db);
  add_option(&words, "--job", job->key);
  Status status = OK;
  if (workload->arguments) status = shell_split(maker->arena, workload->arguments, &more, err);
  if (more || is_program) add_word(&words, "--");
  if (is_program) add_word(&words, workload->is);
  for (int i = 0; status == OK && more && more[i]; i++) add_word(&words, more[i]);
  add_word(&words, NULL);
  job->words = ARENA_ARRAY(maker->arena, char *, words.count);
  memcpy(job->words, words.items, sizeof *words.items * words.count);
  memory_free(words.items);
  return status;
}

static Status make_job(const Maker *maker, uint32_t w, const StudyItem *gpu,
                       const StudyItem *scheme, Job *job, StudyRun *run, Error *err) {
  const StudyItem *workload = &maker->study->items[BY_WORKLOAD][w];
  job->label = arena_printf(maker->arena, "%s %s %s", workload->name, gpu->name, scheme->name);
  TRY(make_key(maker, w, gpu, scheme, job, err));
  *run = (StudyRun){workload->name, gpu->name, scheme->name, job->key};
  return make_words(maker, workload, gpu, scheme, job, err);
}

static Status make_all(Maker *maker, StudyJobs *made, Error *err) {
  const Study *study = maker->study;
  const uint32_t *counts = study->item_count;
  size_t all = (size_t)counts[BY_WORKLOAD] * counts[BY_GPU] * counts[BY_SCHEME];
  TRY(arguments_load_plugins(maker->arguments, &maker->plugins, err));
  TRY(digest_common(maker, err));
  TRY(digest_programs(maker, err));
  made->jobs = ARENA_ARRAY(&made->arena, Job, all);
  made->runs = ARENA_ARRAY(&made->arena, StudyRun, all);
  for (uint32_t w = 0; w < counts[BY_WORKLOAD]; w++)
    for (uint32_t g = 0; g < counts[BY_GPU]; g++)
      for (uint32_t s = 0; s < counts[BY_SCHEME]; s++, made->count++)
        TRY(make_job(maker, w, &study->items[BY_GPU][g], &study->items[BY_SCHEME][s],
                     &made->jobs[made->count], &made->runs[made->count], err));
  return OK;
}

Status study_jobs_make(StudyJobs *made, const Study *study, const Arguments *arguments,
                       const char *db, Error *err) {
  *made = (StudyJobs){0};
  Maker *maker = ARENA_NEW(&made->arena, Maker);
  maker->study = study;
  maker->arguments = arguments;
  maker->db = db;
  maker->arena = &made->arena;
  Status status = make_all(maker, made, err);
  policy_set_clear(&maker->plugins);
  if (status != OK) study_jobs_clear(made);
  return status;
}

void study_jobs_clear(StudyJobs *made) {
  arena_clear(&made->arena);
  *made = (StudyJobs){0};
}
