// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "runner/program_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// Longer than a program takes to write its results (device/process.c).
enum { GRACE_SECONDS = 5 };

// Global because the signal handler needs it.
static volatile pid_t child;
static volatile sig_atomic_t was_killed;

// ---- signals

static const int handled[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
enum { HANDLED = sizeof handled / sizeof *handled };

// The child also receives Ctrl-C and the hang-up of a terminal; kill reaches only
// this process.
static void pass_on(int number, siginfo_t *info, void *context) {
  bool from_terminal = info->si_code == SI_KERNEL;
  (void)context;
  if (child <= 0) return;
  if (!from_terminal) kill(child, number);
  if (number == SIGUSR1 || number == SIGUSR2) return;
  // The program may handle Ctrl-C itself.
  if (from_terminal && number != SIGHUP) return;
  alarm(GRACE_SECONDS);
}

static void on_alarm(int number) {
  (void)number;
  if (child <= 0) return;
  was_killed = 1;
  kill(child, SIGKILL);
}

static void block(int how, sigset_t *before) {
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < HANDLED; i++) sigaddset(&set, handled[i]);
  sigprocmask(how, &set, before);
}

// Ignored signals stay ignored, here and in the program (nohup).
static void listen(void) {
  struct sigaction action = {.sa_flags = SA_RESTART | SA_SIGINFO}, before;
  struct sigaction at_alarm = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
  action.sa_sigaction = pass_on;
  for (int i = 0; i < HANDLED; i++)
    if (sigaction(handled[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(handled[i], &action, NULL);
  sigaction(SIGALRM, &at_alarm, NULL);
}

// ---- the child

_Noreturn static void fail(int failure_pipe) {
  int reason = errno;
  ssize_t ignored = write(failure_pipe, &reason, sizeof reason);
  (void)ignored;
  _exit(127);
}

// Runs in the child until exec; the pipe reports the reason of a failed exec. Handlers
// of SIGABRT, SIGSEGV etc. are reset. If heddle is killed, the program is, too: its
// results would be lost.
static void become(char **program, pid_t parent, ProgramOutput output, const char *file,
                   int failure_pipe, const sigset_t *mask) {
  static const unsigned long TELL = 0xffffffff;  // query the personality
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  // The host determines the addresses of managed and pinned memory, and caches depend on them.
  // If disabling address randomisation is not permitted, the program runs with it.
  personality((unsigned long)personality(TELL) | ADDR_NO_RANDOMIZE);
  static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
  sigprocmask(SIG_SETMASK, mask, NULL);
  if (output == OUTPUT_TO_STDERR) dup2(STDERR_FILENO, STDOUT_FILENO);
  if (output == OUTPUT_TO_FILE) {
    int to = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (to < 0) fail(failure_pipe);
    dup2(to, STDOUT_FILENO);
  }
  execvp(program[0], program);
  fail(failure_pipe);
}

// exec closes the pipe: if it is empty, the program has started.
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

Status program_start(char **program, ProgramOutput output, const char *file, Error *err) {
  int ends[2];
  sigset_t before;
  if (pipe2(ends, O_CLOEXEC) != 0)
    return error_set(err, ERR_IO, "cannot create a pipe: %s", strerror(errno));
  fflush(stdout);
  // No signal may be lost between fork and the assignment of child.
  block(SIG_BLOCK, &before);
  pid_t own = getpid(), pid = fork();
  if (pid == 0) become(program, own, output, file, ends[1], &before);
  close(ends[1]);
  if (pid > 0) {
    child = pid;
    listen();
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (pid > 0) return wait_for_exec(program[0], ends[0], err);
  close(ends[0]);
  return error_set(err, ERR_IO, "cannot start a process: %s", strerror(errno));
}

// ---- exit

// After the wait the process id may be reused, and no signal must be sent to it.
static int wait_status(void) {
  siginfo_t info;
  int status = 0;
  while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) continue;
  pid_t pid = child;
  child = 0;
  alarm(0);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

Status program_wait(const char *name, Error *err) {
  int status = wait_status();
  if (was_killed)
    return error_set(err, ERR_PROGRAM, "%s did not exit within %d seconds and was killed", name,
                     GRACE_SECONDS);
  if (WIFSIGNALED(status))
    return error_set(err, ERR_PROGRAM, "%s was killed by signal %d (%s)", name, WTERMSIG(status),
                     strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) == 0) return OK;
  return error_set(err, ERR_PROGRAM, "%s exited with code %d", name, WEXITSTATUS(status));
}
