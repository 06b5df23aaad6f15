// SPDX-License-Identifier: MIT
// The child gets the folder of our libraries first in its library path, and
// the options as HEDDLE_* variables (device/options.h). It writes the results;
// the table goes through a file so that it comes last, whatever the program
// prints, and stays even if the program crashes.
#include "cli/program_run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own_folder.h"
#include "cli/arguments.h"
#include "cli/environment.h"
#include "report/run_result.h"

enum { LIST_BYTES = 4096 };

// A signal handler reaches nothing else.
static volatile pid_t child;

// ---- where the libraries are

static bool holds_libraries(const char *folder) {
  char path[PATH_MAX + 32];
  snprintf(path, sizeof path, "%s/libheddle.so", folder);
  return access(path, R_OK) == 0;
}

// Beside heddle in a build tree, ../lib/heddle once installed.
static Status find_libraries(char folder[PATH_MAX], Error *err) {
  char own[OWN_FOLDER_BYTES];
  TRY(own_folder(own, err));
  snprintf(folder, PATH_MAX, "%s", own);
  if (holds_libraries(folder)) return OK;
  snprintf(folder, PATH_MAX, "%s/../lib/heddle", own);
  if (holds_libraries(folder)) return OK;
  return error_set(err, ERR_IO, "libheddle.so is neither in %s nor in %s", own, folder);
}

// ---- the child's environment

static void set_option(const Arguments *arguments, const char *option, const char *variable) {
  const char *value = arguments_value(arguments, option, NULL);
  if (value) setenv(variable, value, 1);
}

static void set_flag(const Arguments *arguments, const char *option, const char *variable) {
  if (arguments_has(arguments, option)) setenv(variable, "1", 1);
}

// An option that may be repeated: its values with semicolons between them.
static Status set_list(const Arguments *arguments, const char *option, const char *variable,
                       char list[LIST_BYTES], Error *err) {
  size_t length = strlen(list);
  const char *value;
  for (int i = 0; (value = arguments_next(arguments, option, &i));) {
    length +=
        (size_t)snprintf(list + length, LIST_BYTES - length, "%s%s", length ? ";" : "", value);
    if (length >= LIST_BYTES) return error_set(err, ERR_USAGE, "too many %s", option);
  }
  if (length) setenv(variable, list, 1);
  return OK;
}

static Status set_parameters(const Arguments *arguments, Error *err) {
  char list[LIST_BYTES] = "", observers[LIST_BYTES] = "", plugins[LIST_BYTES] = "";
  const char *cycles = arguments_value(arguments, "--max-cycles", NULL);
  if (cycles) snprintf(list, sizeof list, "run.max_cycles=%.80s", cycles);
  TRY(set_list(arguments, "--set", "HEDDLE_SET", list, err));
  TRY(set_list(arguments, "--plugin", "HEDDLE_PLUGIN", plugins, err));
  return set_list(arguments, "--observe", "HEDDLE_OBSERVE", observers, err);
}

static void prepend_library_path(const char *folder) {
  char path[2 * PATH_MAX];
  const char *before = getenv("LD_LIBRARY_PATH");
  snprintf(path, sizeof path, "%s%s%.*s", folder, before && *before ? ":" : "", PATH_MAX,
           before ? before : "");
  setenv("LD_LIBRARY_PATH", path, 1);
}

static Status set_environment(const Arguments *arguments, const char *libraries, Error *err) {
  environment_scrub();
  prepend_library_path(libraries);
  set_option(arguments, "--gpu", "HEDDLE_GPU");
  set_option(arguments, "--scheme", "HEDDLE_SCHEME");
  set_option(arguments, "--threads", "HEDDLE_THREADS");
  set_option(arguments, "--interval", "HEDDLE_INTERVAL");
  set_option(arguments, "--json", "HEDDLE_JSON");
  set_flag(arguments, "--functional", "HEDDLE_FUNCTIONAL");
  set_flag(arguments, "--no-skip", "HEDDLE_NO_SKIP");
  set_flag(arguments, "--per-sm", "HEDDLE_PER_SM");
  return set_parameters(arguments, err);
}

// ---- the child

// Ctrl-C reaches the child as well; kill reaches only us.
static void pass_on(int number) {
  if (child > 0 && number != SIGINT) kill(child, number);
}

static void listen_for_signals(void) {
  struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    sigaction(signals[i], &action, NULL);
}

// In the child, until exec; why there is none goes into the pipe. Dispositions of a
// bug's signals are heddle's own. A heddle that is killed takes the program with
// it: nobody would get its results.
static void become(char **program, pid_t parent, int failure_pipe) {
  static const unsigned long TELL = 0xffffffff;  // what the personality is
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  // Managed and pinned memory stand where the host puts them, and caches go by addresses.
  // Where this is not allowed the program runs all the same.
  personality((unsigned long)personality(TELL) | ADDR_NO_RANDOMIZE);
  static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
  execvp(program[0], program);
  int reason = errno;
  ssize_t ignored = write(failure_pipe, &reason, sizeof reason);
  (void)ignored;
  _exit(127);
}

// The pipe closes by itself, empty, when the child becomes the program.
static Status wait_for_exec(const char *name, int failure_pipe, Error *err) {
  int reason;
  ssize_t got;
  while ((got = read(failure_pipe, &reason, sizeof reason)) < 0 && errno == EINTR) continue;
  close(failure_pipe);
  if (got <= 0) return OK;
  waitpid(child, NULL, 0);
  child = 0;
  return error_set(err, ERR_IO, "cannot run %s: %s%s", name, strerror(reason),
                   reason == EACCES ? "; chmod +x makes a program executable" : "");
}

static Status start(char **program, Error *err) {
  int ends[2];
  if (pipe(ends) != 0) return error_set(err, ERR_IO, "cannot make a pipe: %s", strerror(errno));
  for (int i = 0; i < 2; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
  fflush(stdout);
  pid_t own = getpid(), pid = fork();
  if (pid == 0) become(program, own, ends[1]);
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return error_set(err, ERR_IO, "cannot start a process: %s", strerror(errno));
  }
  child = pid;
  listen_for_signals();
  return wait_for_exec(program[0], ends[0], err);
}

static Status wait_for_end(const char *name, Error *err) {
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return error_set(err, ERR_IO, "cannot wait for %s: %s", name, strerror(errno));
  child = 0;
  if (WIFSIGNALED(status))
    return error_set(err, ERR_PROGRAM, "%s was ended by signal %d (%s)", name, WTERMSIG(status),
                     strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) == 0) return OK;
  return error_set(err, ERR_PROGRAM, "%s ended with exit code %d", name, WEXITSTATUS(status));
}

// ---- the table

// Whether there is anything in it.
static bool print_file(const char *path, bool quiet) {
  char piece[4096];
  size_t length, all = 0;
  FILE *file = fopen(path, "r");
  if (!file) return false;
  while ((length = fread(piece, 1, sizeof piece, file)) > 0) {
    if (!quiet) fwrite(piece, 1, length, stdout);
    all += length;
  }
  fclose(file);
  return all;
}

static Status run_with_table(const Arguments *arguments, const char *table, Error *err) {
  bool quiet = arguments_has(arguments, "--quiet") || arguments_has(arguments, "--stats-format") ||
               strcmp(arguments_value(arguments, "--json", ""), "-") == 0;
  setenv("HEDDLE_TABLE", table, 1);
  TRY(start(arguments->program, err));
  Status status = wait_for_end(arguments->program[0], err);
  bool has_loaded_us = access(table, F_OK) != 0 || print_file(table, quiet);
  bool is_ours = arguments->operands[0] != arguments->program[0];
  if (has_loaded_us || is_ours || status != OK) return status;
  return error_set(err, ERR_USAGE,
                   "%s does not use the simulated GPU; build it with `heddle cc`, or with "
                   "nvcc -cudart shared (docs/cuda.md)",
                   arguments->program[0]);
}

static Status run_and_print(const Arguments *arguments, Error *err) {
  char table[] = "/tmp/heddle-table-XXXXXX";
  int file = mkstemp(table);
  if (file < 0) return error_set(err, ERR_IO, "cannot make %s: %s", table, strerror(errno));
  close(file);
  Status status = run_with_table(arguments, table, err);
  unlink(table);
  return status;
}

// ---- results for ourselves

// A file without a name, which nothing has to remove; the child inherits it and
// finds it under the path.
static Status open_result_file(char path[32], int *file, Error *err) {
  char name[] = "/tmp/heddle-result-XXXXXX";
  *file = mkstemp(name);
  if (*file < 0) return error_set(err, ERR_IO, "cannot make %s: %s", name, strerror(errno));
  unlink(name);
  snprintf(path, 32, "/dev/fd/%d", *file);
  return OK;
}

static Status write_json_where_asked(const Arguments *arguments, const json_t *result,
                                     Error *err) {
  const char *path = arguments_value(arguments, "--json", NULL);
  return path && result ? run_json_write(result, path, err) : OK;
}

Status program_run(const Arguments *arguments, json_t **result, Error *err) {
  char libraries[PATH_MAX], path[32];
  int file;
  TRY(find_libraries(libraries, err));
  TRY(set_environment(arguments, libraries, err));
  if (!result) return run_and_print(arguments, err);
  TRY(open_result_file(path, &file, err));
  setenv("HEDDLE_JSON", path, 1);
  Status status = run_and_print(arguments, err);
  lseek(file, 0, SEEK_SET);
  *result = json_loadfd(file, JSON_ALLOW_NUL, NULL);
  close(file);
  Error write_error;
  Status written = write_json_where_asked(arguments, *result, &write_error);
  if (status == OK && written != OK) status = error_set(err, written, "%s", write_error.text);
  return status;
}
