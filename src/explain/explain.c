// SPDX-License-Identifier: MIT
// Runs a program as it is and on idealised machines, and reports causes, gains and advice.
#include "explain/explain.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "run/run_machine.h"
#include "study/jobs.h"
#include "study/study_signals.h"

// Kernels with less of the program's time are not explained.
static const double worth_explaining = 0.05;
enum { INTERVAL_CYCLES = 500 };

typedef struct Session {
  Explanation *explanation;
  const ExplainRequest *request;
  JobsOptions options;
  const char *first_output;
  uint32_t number;  // of runs so far, for the names of files
} Session;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// ---- runs

static Job make_job(Session *session, const char *label, RunSpec spec, const char **json,
                    const char **output) {
  Arena *arena = &session->explanation->arena;
  const char *folder = session->explanation->folder.path;
  RunSpec *kept = ARENA_NEW(arena, RunSpec);
  uint32_t number = session->number++;
  *json = arena_printf(arena, "%s/%u.json", folder, number);
  *output = arena_printf(arena, "%s/%u.out", folder, number);
  spec.json = *json;
  spec.output = *output;
  spec.quiet = true;
  spec.strict = true;
  *kept = spec;
  return (Job){.label = label, .key = arena_printf(arena, "%u", number), .spec = kept};
}

static Status check_first(const Session *session, const Job *job, Error *err) {
  if (job->is_done) return OK;
  bool is_stopped = *session->options.stop;
  return error_set(err, is_stopped ? ERR_INTERRUPTED : ERR_PROGRAM, "%s: %s",
                   session->request->run.program, job->failure ? job->failure : "not run");
}

static Status run_first(Session *session, Error *err) {
  Explanation *explanation = session->explanation;
  RunSpec spec = session->request->run;
  const char *json;
  if (!spec.interval) spec.interval = INTERVAL_CYCLES;
  run_list_add(&spec.observe, "contention", &explanation->arena);
  bool has_page = session->request->has_page;
  explanation->shows_source = session->request->shows_source;
  if (explanation->shows_source || has_page)
    run_list_add(&spec.observe, "lines", &explanation->arena);
  if (has_page) run_list_add(&spec.observe, "reuse", &explanation->arena);
  if (has_page) run_list_add(&spec.observe, "sharing", &explanation->arena);
  Job job = make_job(session, "as it is", spec, &json, &session->first_output);
  TRY(jobs_run(&job, 1, &session->options, &explanation->arena, err));
  TRY(check_first(session, &job, err));
  if (has_page) TRY(explanation_read_runs(explanation, session->options.db, err));
  return run_facts_read(&explanation->facts, json, &explanation->arena, err);
}

// CTAs ordered along Y are shown in this order.
static bool is_seen_on_page(const Session *session, const WhatIf *what_if) {
  return session->request->has_page && what_if_is_order(what_if) && strstr(what_if->set, "column");
}

static void keep_sharing(Explanation *explanation, WhatIf *what_if, const RunFacts *facts) {
  const json_t *launch;
  size_t i;
  what_if->sharing = json_array();
  for (uint32_t k = 0; k < explanation->kernel_count; k++) {
    json_t *rows = NULL;
    json_array_foreach(json_object_get(facts->result, "kernels"), i, launch) {
      const char *name = json_string_value(json_object_get(launch, "readable_name"));
      if (!rows && name && strcmp(name, explanation->facts.kernels[k].name) == 0)
        rows = json_object_get(launch, "sharing");
    }
    json_array_append(what_if->sharing, rows ? rows : json_null());
  }
}

static Status read_what_if(Session *session, WhatIf *what_if, const char *json, Error *err) {
  Explanation *explanation = session->explanation;
  RunFacts facts = {0};
  Status status = run_facts_read(&facts, json, &explanation->arena, err);
  what_if->cycles = ARENA_ARRAY(&explanation->arena, double, explanation->kernel_count + 1);
  what_if->l1_misses = ARENA_ARRAY(&explanation->arena, double, explanation->kernel_count + 1);
  what_if->even_shares = ARENA_ARRAY(&explanation->arena, double, explanation->kernel_count + 1);
  for (uint32_t k = 0; status == OK && k < explanation->kernel_count; k++) {
    const KernelFacts *kernel = run_facts_kernel(&facts, explanation->facts.kernels[k].name);
    if (!kernel) continue;
    what_if->cycles[k] = kernel->cycles;
    what_if->l1_misses[k] = kernel_fact(kernel, "l1d.misses");
    what_if->even_shares[k] = kernel->even_share;
  }
  if (status == OK && is_seen_on_page(session, what_if)) keep_sharing(explanation, what_if, &facts);
  what_if->is_done = status == OK;
  run_facts_clear(&facts);
  return status;
}

// Another block shape may change what a kernel computes; then it is not an option.
static bool prints_the_same(const Session *session, const WhatIf *what_if) {
  char *mine = NULL, *first = NULL;
  size_t length = 0, first_length = 0;
  Error ignored;
  bool same = file_read(what_if->output, 1 << 28, &mine, &length, &ignored) == OK &&
              file_read(session->first_output, 1 << 28, &first, &first_length, &ignored) == OK &&
              length == first_length && memcmp(mine, first, length) == 0;
  memory_free(mine);
  memory_free(first);
  return same;
}

static void add_change(Session *session, RunSpec *spec, const WhatIf *what_if) {
  Arena *arena = &session->explanation->arena;
  if (what_if_moves_data(what_if)) spec->interval = INTERVAL_CYCLES;
  if (is_seen_on_page(session, what_if))
    run_list_add(&spec->observe, "sharing:order=column", arena);
  if (what_if->ideal) run_list_add(&spec->ideal, what_if->ideal, arena);
  for (const char *at = what_if->set; at && *at;) {
    size_t length = strcspn(at, " ");
    run_list_add(&spec->set, arena_strndup(arena, at, length), arena);
    at += length + (at[length] == ' ');
  }
}

// The run of that number among those of the what-ifs from `first` on.
static Job job_of(Session *session, size_t first, size_t run, const char **json,
                  const char **output) {
  Arena *arena = &session->explanation->arena;
  const WhatIfs *list = &session->explanation->what_ifs;
  RunSpec spec = session->request->run;
  const char *label = NULL;
  spec.observe = (RunList){0};
  spec.interval = 0;
  run_list_add(&spec.observe, "none", arena);
  for (size_t i = first; i < list->count; i++) {
    const WhatIf *what_if = &list->items[i];
    if (what_if->run != run) continue;
    label = label ? arena_printf(arena, "%s, %s", label, what_if->title) : what_if->title;
    add_change(session, &spec, what_if);
  }
  return make_job(session, label, spec, json, output);
}

static Status read_job(Session *session, WhatIf *what_if, const Job *job, const char *json,
                       Error *err) {
  Explanation *explanation = session->explanation;
  bool is_stopped = *session->options.stop != 0;
  if (!job->is_done && !is_stopped && !explanation->failure && job->failure)
    explanation->failure =
        arena_printf(&explanation->arena, "%s: %s", what_if->title, job->failure);
  if (!job->is_done) return OK;
  TRY(read_what_if(session, what_if, json, err));
  if (what_if->set && strncmp(what_if->set, "run.block=", 10) == 0)
    what_if->is_done = prints_the_same(session, what_if);
  return OK;
}

// Those from `first` on.
static Status run_what_ifs(Session *session, size_t first, Error *err) {
  Explanation *explanation = session->explanation;
  WhatIfs *list = &explanation->what_ifs;
  Job jobs[MOST_WHAT_IFS];
  const char *json[MOST_WHAT_IFS], *output[MOST_WHAT_IFS];
  size_t count = what_ifs_share_runs(list, first, &explanation->facts);
  if (!count) return OK;
  for (size_t run = 0; run < count; run++)
    jobs[run] = job_of(session, first, run, &json[run], &output[run]);
  Status status = jobs_run(jobs, count, &session->options, &explanation->arena, err);
  // What has been found until a stop counts.
  if (status != OK && !*session->options.stop) return status;
  for (size_t i = first; i < list->count; i++) {
    WhatIf *what_if = &list->items[i];
    what_if->output = output[what_if->run];
    TRY(read_job(session, what_if, &jobs[what_if->run], json[what_if->run], err));
  }
  return OK;
}

// ---- the whole

static uint32_t count_kernels(const RunFacts *facts) {
  uint32_t count = 0;
  while (count < facts->count && count < MOST_EXPLAINED &&
         facts->kernels[count].share >= worth_explaining)
    count++;
  return count;
}

static Status run_all(Session *session, Error *err) {
  Explanation *explanation = session->explanation;
  WhatIfs *list = &explanation->what_ifs;
  Arena *arena = &explanation->arena;
  TRY(run_first(session, err));
  explanation->kernel_count = count_kernels(&explanation->facts);
  for (uint32_t k = 0; k < explanation->kernel_count; k++)
    what_ifs_of_costs(list, &explanation->facts, k, arena);
  TRY(run_what_ifs(session, 0, err));
  size_t costs = list->count;
  for (uint32_t k = 0; k < explanation->kernel_count; k++)
    what_ifs_to_try(list, &explanation->facts, k, arena);
  if (!*session->options.stop) TRY(run_what_ifs(session, costs, err));
  explanation->was_stopped = *session->options.stop;
  for (uint32_t k = 0; k < explanation->kernel_count; k++)
    rules_apply(&explanation->findings[k], &explanation->facts, k, list, arena);
  return OK;
}

// Mistakes in options are reported before anything runs.
static Status check_request(const ExplainRequest *request, Error *err) {
  RunMachine machine = {0};
  Status status = run_resolve(&machine, &request->run, err);
  run_machine_clear(&machine);
  if (status != OK || run_spec_program(&request->run) != RUN_EXECUTABLE) return status;
  if (access(request->run.program, X_OK) == 0) return OK;
  return error_set(err, ERR_IO, "cannot run %s: %s", request->run.program, strerror(errno));
}

Status explain(Explanation *explanation, const ExplainRequest *request, Error *err) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  double start = now();
  Session session = {.explanation = explanation, .request = request};
  TRY(check_request(request, err));
  TRY(scratch_folder_make(&explanation->folder, "heddle-explain", true, err));
  session.options =
      (JobsOptions){.db = arena_printf(&explanation->arena, "%s/runs.db", explanation->folder.path),
                    .processes = request->processes ? request->processes
                                 : cores > 0        ? (uint32_t)cores
                                                    : 1,
                    .progress = request->quiet ? NULL : stderr,
                    .stop = study_signals_listen()};
  TRY(run_all(&session, err));
  explanation->seconds = now() - start;
  return OK;
}

void explanation_clear(Explanation *explanation) {
  for (size_t i = 0; i < explanation->what_ifs.count; i++)
    json_decref(explanation->what_ifs.items[i].sharing);
  json_decref(explanation->page);
  run_facts_clear(&explanation->facts);
  if (*explanation->folder.path) scratch_folder_remove(&explanation->folder);
  arena_clear(&explanation->arena);
}
