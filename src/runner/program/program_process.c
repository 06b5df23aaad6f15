// SPDX-License-Identifier: MIT
// A program as a child process: start, signals, wait.
#define _GNU_SOURCE
#include "runner/program/program_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/signals.h"
#include "runner/program/program_orphans.h"

// Longer than a program takes to write its results (device/process/process.c).
enum { GRACE_SECONDS = 5 };
// Between looks at what the program has left running; it is reported after a second.
enum { MAX_POLL_MS = 20, SILENT_MS = 1000 };

// Global because the signal handler needs it.
static volatile pid_t child;
static volatile sig_atomic_t was_killed, stop_signal, is_ctrl_c;
static Orphans orphans;

// ---- signals

static const int handled[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
enum { HANDLED = sizeof handled / sizeof *handled };

// The child also receives Ctrl-C and the hang-up of a terminal; kill reaches only
// this process. A background job's child ignores SIGINT as well.
static void pass_on(int number, siginfo_t *info, void *context) {
  bool from_terminal = signal_is_of_terminal(info), is_deaf = signal_is_deaf(number);
  (void)context;
  if (is_deaf && from_terminal) return;
  if (number != SIGUSR1 && number != SIGUSR2) {
    stop_signal = number;
    is_ctrl_c = from_terminal && number != SIGHUP;
  }
  if (child <= 0) return;
  if (!from_terminal) kill(child, is_deaf ? SIGTERM : number);
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

static void listen(void) {
  struct sigaction at_alarm = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
  signals_handle(handled, HANDLED, pass_on, SA_RESTART);
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
  orphans_adopt(&orphans);
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

static bool is_stop_signal(int number) {
  return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
}

// A program that was asked to stop, and exits with 0, has taken the request for something else.
static Status explain(const char *name, int status, Error *err) {
  int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (was_killed)
    return error_set(err, ERR_INTERRUPTED, "%s did not exit within %d seconds and was killed", name,
                     GRACE_SECONDS);
  if (is_stop_signal(number) || (stop_signal && status != 0)) {
    int cause = stop_signal ? stop_signal : number;
    return error_set(err, ERR_INTERRUPTED, "%s was stopped by signal %d (%s)", name, cause,
                     strsignal(cause));
  }
  if (number)
    return error_set(err, ERR_PROGRAM, "%s was killed by signal %d (%s)", name, number,
                     strsignal(number));
  if (WEXITSTATUS(status) == 0) return OK;
  return error_set(err, ERR_PROGRAM, "%s exited with code %d", name, WEXITSTATUS(status));
}

// ---- what it has left running

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void report_rest(const char *name) {
  fprintf(stderr, "heddle: %s has exited; waiting for %u process%s that it left running (", name,
          orphans.count, orphans.count == 1 ? "" : "es");
  for (uint32_t i = 0; i < orphans.count && i < 8; i++)
    fprintf(stderr, "%s%ld", i ? ", " : "", (long)orphans.pids[i]);
  fprintf(stderr, "%s)\n", orphans.count > 8 ? ", ..." : "");
}

// Stops them: a shell starts background jobs with Ctrl-C ignored, so that SIGTERM is sent.
static void end_rest(int64_t *stopped_ms) {
  if (!*stopped_ms) *stopped_ms = now_ms();
  orphans_ask(&orphans);
  if (now_ms() - *stopped_ms > GRACE_SECONDS * 1000) orphans_kill(&orphans);
}

static Status wait_for_rest(const char *name, Status status, Error *err) {
  int64_t began_ms = now_ms(), stopped_ms = 0;
  bool is_reported = false;
  // A program may handle Ctrl-C itself; the next one is meant for what it left running.
  if (status == OK && is_ctrl_c) stop_signal = 0;
  if (status == ERR_INTERRUPTED) stop_signal = SIGTERM;
  for (int pause_ms = 1;; pause_ms = pause_ms < MAX_POLL_MS ? 2 * pause_ms : MAX_POLL_MS) {
    orphans_find(&orphans);
    if (!orphans.count) break;
    if (stop_signal) end_rest(&stopped_ms);
    if (!is_reported && !stop_signal && now_ms() - began_ms > SILENT_MS)
      report_rest(name), is_reported = true;
    poll(NULL, 0, pause_ms);
  }
  orphans_release();
  if (!stopped_ms || status != OK) return status;
  return error_set(err, ERR_INTERRUPTED, "%s: a process that it left running was stopped", name);
}

Status program_wait(const char *name, Error *err) {
  Status status = explain(name, wait_status(), err);
  return wait_for_rest(name, status, err);
}
