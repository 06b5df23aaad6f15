// SPDX-License-Identifier: MIT
// Runs a program as a child process and measures its CPU time and memory.
#include "support/process.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void become(const char *folder, const char *const *argv, const char *output_path) {
  int out = open(output_path ? output_path : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (out >= 0) dup2(out, STDOUT_FILENO);
  int quiet = open("/dev/null", O_WRONLY);
  if (quiet >= 0) dup2(quiet, STDERR_FILENO);
  if (folder && chdir(folder) != 0) _exit(127);
  execv(argv[0], (char *const *)(uintptr_t)argv);
  _exit(127);
}

static double seconds_of(struct timeval time) {
  return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

Status process_run_in(const char *folder, const char *const *argv, const char *output_path,
                      int *exit_code, ProcessCost *cost, Error *err) {
  pid_t child = fork();
  if (child < 0) return error_set(err, ERR_IO, "cannot start %s", argv[0]);
  if (child == 0) become(folder, argv, output_path);
  int state;
  struct rusage usage;
  if (wait4(child, &state, 0, &usage) != child)
    return error_set(err, ERR_IO, "cannot wait for %s", argv[0]);
  *exit_code = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
  cost->cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  cost->peak_mb = (double)usage.ru_maxrss / 1024;
  return OK;
}

Status process_run(const char *const *argv, const char *output_path, ProcessCost *cost,
                   Error *err) {
  int exit_code;
  TRY(process_run_in(NULL, argv, output_path, &exit_code, cost, err));
  if (exit_code != 0)
    return error_set(err, ERR_PROGRAM, "%s %s failed", argv[0], argv[1] ? argv[1] : "");
  return OK;
}

double process_resident_mb(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
  if (file) fclose(file);
  return (double)pages * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}
