// SPDX-License-Identifier: MIT
#include "cli/tune_session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "base/files/own_folder.h"
#include "base/text/shell_words.h"
#include "cc/build.h"
#include "cli/arguments.h"
#include "runner/program/environment.h"
#include "runner/program/program_environment.h"
#include "cli/study_signals.h"
#include "runner/program/workload.h"
#include "run/run_machine.h"

static char *no_words[] = {NULL};

static size_t count_of(char *const *words) {
  size_t count = 0;
  while (words && words[count]) count++;
  return count;
}

// ---- options

static Status read_number(const Arguments *arguments, const char *option, long otherwise, long most,
                          long *value, Error *err) {
  const char *text = arguments_value(arguments, option, NULL);
  char *end = "";
  *value = text ? strtol(text, &end, 10) : otherwise;
  if (*end || *value < 1 || *value > most)
    return error_set(err, ERR_USAGE, "%s %.40s: expected a number from 1 to %ld", option, text,
                     most);
  return OK;
}

static Status check_run(const RunSpec *spec, Error *err) {
  RunMachine machine = {0};
  Status status = run_resolve(&machine, spec, err);
  run_machine_clear(&machine);
  return status;
}

static Status read_run(TuneSession *session, const Arguments *arguments, Error *err) {
  RunSpec *run = &session->setting.run;
  const char *set;
  run->gpu = arguments_value(arguments, "--gpu", "k40");
  for (int i = 0; (set = arguments_next(arguments, "--set", &i));)
    run_list_add(&run->set, set, &session->arena);
  return check_run(run, err);
}

static Status read_options(TuneSession *session, const Arguments *arguments, Error *err) {
  JobsOptions *jobs = &session->setting.jobs;
  long processes, limit;
  TRY(read_number(arguments, "--jobs", sysconf(_SC_NPROCESSORS_ONLN), 1024, &processes, err));
  TRY(read_number(arguments, "--limit", 600, 1 << 30, &limit, err));
  jobs->processes = (uint32_t)processes;
  jobs->limit_seconds = (double)limit;
  jobs->progress = arguments_has(arguments, "--quiet") ? NULL : stderr;
  jobs->stop = study_signals_listen();
  return read_run(session, arguments, err);
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
static Status open_source(TuneSession *session, const Arguments *arguments, Error *err) {
  const char *source = session->source = arguments->operands[0];
  const char *given = arguments_value(arguments, "--arguments", "");
  const char *stem = arena_strndup(&session->arena, source, strlen(source) - strlen(".cu"));
  char **words;
  session->work = arena_printf(&session->arena, "%s.tune", stem);
  session->compile = arguments->program ? arguments->program : no_words;
  if (access(source, R_OK) != 0)
    return error_set(err, ERR_IO, "cannot open %s: %s", source, strerror(errno));
  if (mkdir(session->work, 0777) != 0 && errno != EEXIST)
    return error_set(err, ERR_IO, "cannot create %s: %s", session->work, strerror(errno));
  TRY(shell_split(&session->arena, given, &words, err));
  char *program = arena_printf(&session->arena, "%s/original", session->work);
  TRY(tune_session_compile(session, source, program, err));
  session->program = ARENA_ARRAY(&session->arena, char *, count_of(words) + 2);
  session->program[0] = program;
  memcpy(session->program + 1, words, sizeof *words * (count_of(words) + 1));
  session->setting.db = arena_printf(&session->arena, "%s/runs.db", session->work);
  session->setting.outputs = session->work;
  return OK;
}

static Status open_workload(TuneSession *session, const Arguments *arguments, Error *err) {
  Workload workload;
  char path[PATH_MAX];
  const char *size = arguments_value(arguments, "--size", "tiny");
  char **own, **given;
  TRY(workload_find(arguments->operands[0], &workload, err));
  TRY(workload_check_size(size, err));
  TRY(workload_build(&workload, NULL, path, err));
  const char *first = arena_printf(&session->arena, "%s --size %s %s", workload.arguments, size,
                                   arguments_value(arguments, "--arguments", ""));
  TRY(shell_split(&session->arena, first, &own, err));
  given = arguments->program ? arguments->program : no_words;
  size_t count = count_of(own);
  session->program = ARENA_ARRAY(&session->arena, char *, count + count_of(given) + 2);
  session->program[0] = arena_strdup(&session->arena, path);
  memcpy(session->program + 1, own, sizeof *own * count);
  memcpy(session->program + 1 + count, given, sizeof *given * (count_of(given) + 1));
  return OK;
}

static Status open_program(TuneSession *session, const Arguments *arguments, Error *err) {
  const char *name = arguments->operands[0];
  bool is_program = arguments->program && name == arguments->program[0];
  if (path_ends_with(name, ".cu")) return open_source(session, arguments, err);
  session->setting.db = arguments_value(arguments, "--db", "classify.db");
  if (!is_program) return open_workload(session, arguments, err);
  session->program = arguments->program;
  if (access(name, X_OK) == 0) return OK;
  return error_set(err, ERR_IO, "cannot run %s: %s", name, strerror(errno));
}

Status tune_session_open(TuneSession *session, const Arguments *arguments, Error *err) {
  *session = (TuneSession){0};
  environment_scrub();
  TRY(read_options(session, arguments, err));
  TRY(find_heddle(session, err));
  return open_program(session, arguments, err);
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
  for (Experiment i = 0; outputs && i < EXPERIMENTS; i++) outputs[i] = trials[i].output;
  TRY(evidence_read(&session->evidence, session->setting.db, trials, &session->arena, err));
  session->verdicts = ARENA_ARRAY(&session->arena, Verdict, session->evidence.count + 1);
  for (size_t i = 0; i < session->evidence.count; i++)
    classify(&session->evidence.kernels[i], &classify_defaults, &session->verdicts[i]);
  return OK;
}
