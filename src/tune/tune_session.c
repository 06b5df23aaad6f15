// SPDX-License-Identifier: MIT
// Common part of classify and tune: the analysed program and the store of its runs.
#include "tune/tune_session.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "base/files/own_folder.h"
#include "base/text/shell_words.h"
#include "cc/build.h"
#include "runner/program/environment.h"
#include "runner/program/program_environment.h"
#include "study/study_signals.h"
#include "runner/program/workload.h"
#include "run/run_machine.h"

static char *no_words[] = {NULL};

static size_t count_of(char *const *words) {
  size_t count = 0;
  while (words && words[count]) count++;
  return count;
}

static Status check_run(TuneSession *session, const RunSpec *spec, Error *err) {
  RunMachine machine = {0};
  Status status = run_resolve(&machine, spec, err);
  if (status == OK) session->sm_count = machine.config.gpu.sm_count;
  run_machine_clear(&machine);
  return status;
}

static Status read_request(TuneSession *session, const TuneRequest *request, Error *err) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  session->setting.run = request->run;
  session->setting.jobs = (JobsOptions){.processes = request->processes ? request->processes
                                                     : cores < 1        ? 1
                                                                        : (uint32_t)cores,
                                        .limit_seconds = request->limit_seconds,
                                        .progress = request->quiet ? NULL : stderr,
                                        .stop = study_signals_listen()};
  return check_run(session, &request->run, err);
}

static Status find_heddle(TuneSession *session, Error *err) {
  char folder[PATH_MAX];
  TRY(own_program(session->heddle, err));
  TRY(program_libraries_find(folder, err));
  if (snprintf(session->libraries, PATH_MAX, "%s/libheddle.so", folder) >= PATH_MAX)
    return error_set(err, ERR_IO, "%.200s...: path too long", folder);
  session->setting.libraries = session->libraries;
  return OK;
}

// ---- programs

Status tune_session_compile(const TuneSession *session, const char *source, const char *program,
                            Error *err) {
  size_t more = count_of(session->compile);
  const char **words = memory_alloc(sizeof *words * (more + 8));
  int count = 0;
  CcRequest request = {0};
  CcToolchain toolchain;
  // sm_35, the oldest target of clang: the code uses no feature that an older GPU lacks.
  words[count++] = "-O3";
  words[count++] = "-arch=sm_35";
  for (size_t i = 0; i < more; i++) words[count++] = session->compile[i];
  words[count++] = source;
  words[count++] = "-o";
  words[count++] = program;
  Status status = cc_request_parse(&request, count, words, err);
  if (status == OK) status = cc_toolchain_find(&toolchain, err);
  if (status == OK) status = cc_build(&request, &toolchain, err);
  cc_request_clear(&request);
  memory_free((void *)words);
  return status;
}

char **tune_session_words(TuneSession *session, const char *program) {
  size_t count = count_of(session->program);
  char **words = ARENA_ARRAY(&session->arena, char *, count + 2);
  for (size_t i = 1; i < count; i++) words[i] = session->program[i];
  words[0] = arena_strdup(&session->arena, program);
  words[count ? count : 1] = NULL;
  return words;
}

// Files of prog.cu are kept in prog.tune/.
static Status open_source(TuneSession *session, const TuneRequest *request, Error *err) {
  const char *source = session->source = request->program;
  const char *stem = arena_strndup(&session->arena, source, strlen(source) - strlen(".cu"));
  char **words;
  session->work = arena_printf(&session->arena, "%s.tune", stem);
  session->compile = request->words ? request->words : no_words;
  if (access(source, R_OK) != 0)
    return error_set(err, ERR_IO, "cannot open %s: %s", source, strerror(errno));
  if (mkdir(session->work, 0777) != 0 && errno != EEXIST)
    return error_set(err, ERR_IO, "cannot create %s: %s", session->work, strerror(errno));
  TRY(shell_split(&session->arena, request->arguments, &words, err));
  char *program = arena_printf(&session->arena, "%s/original", session->work);
  TRY(tune_session_compile(session, source, program, err));
  session->program = ARENA_ARRAY(&session->arena, char *, count_of(words) + 2);
  session->program[0] = program;
  memcpy(session->program + 1, words, sizeof *words * (count_of(words) + 1));
  session->setting.db = arena_printf(&session->arena, "%s/runs.db", session->work);
  session->setting.outputs = session->work;
  return OK;
}

static Status open_workload(TuneSession *session, const TuneRequest *request, Error *err) {
  Workload workload;
  char path[PATH_MAX];
  char **own, **given;
  TRY(workload_find(request->program, &workload, err));
  TRY(workload_check_size(request->size, err));
  TRY(workload_build(&workload, NULL, path, err));
  const char *first = arena_printf(&session->arena, "%s --size %s %s", workload.arguments,
                                   request->size, request->arguments);
  TRY(shell_split(&session->arena, first, &own, err));
  given = request->words ? request->words : no_words;
  size_t count = count_of(own);
  session->program = ARENA_ARRAY(&session->arena, char *, count + count_of(given) + 2);
  session->program[0] = arena_strdup(&session->arena, path);
  memcpy(session->program + 1, own, sizeof *own * count);
  memcpy(session->program + 1 + count, given, sizeof *given * (count_of(given) + 1));
  return OK;
}

static Status open_executable(TuneSession *session, const TuneRequest *request, Error *err) {
  session->program = request->words;
  if (access(request->program, X_OK) == 0) return OK;
  return error_set(err, ERR_IO, "cannot run %s: %s", request->program, strerror(errno));
}

static Status open_program(TuneSession *session, const TuneRequest *request, Error *err) {
  if (path_ends_with(request->program, ".cu")) return open_source(session, request, err);
  session->setting.db = request->db;
  return request->is_executable ? open_executable(session, request, err)
                                : open_workload(session, request, err);
}

Status tune_session_open(TuneSession *session, const TuneRequest *request, Error *err) {
  environment_scrub();
  TRY(read_request(session, request, err));
  TRY(find_heddle(session, err));
  return open_program(session, request, err);
}

void tune_session_clear(TuneSession *session) {
  arena_clear(&session->arena);
}

// ---- experiments

static Status check(const TuneSession *session, const Trial *trials, Error *err) {
  for (Experiment i = 0; i < EXPERIMENTS; i++)
    if (trials[i].failure)
      return error_set(err, ERR_PROGRAM, "%s, %s: %s", session->program[0], trials[i].label,
                       trials[i].failure);
  return OK;
}

Status tune_session_classify(TuneSession *session, const char *outputs[EXPERIMENTS], Error *err) {
  Trial trials[EXPERIMENTS];
  trials_of_experiments(trials, session->program);
  // The first run alone, so that a failing program fails once, not five times.
  TRY(trials_run(&session->setting, trials, 1, &session->arena, err));
  if (trials[0].failure) return check(session, trials, err);
  TRY(trials_run(&session->setting, trials, EXPERIMENTS, &session->arena, err));
  TRY(check(session, trials, err));
  session->key = trials[EXPERIMENT_BASE].key;
  for (Experiment i = 0; outputs && i < EXPERIMENTS; i++) outputs[i] = trials[i].output;
  TRY(trials_evidence(&session->evidence, session->setting.db, trials, &session->arena, err));
  session->verdicts = classify_kernels(&session->evidence, &session->arena);
  return OK;
}
