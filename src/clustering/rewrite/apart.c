// SPDX-License-Identifier: MIT
// Runs a function in a child process with a large stack, so that a crash of libclang becomes an
// error.
#include "clustering/rewrite/apart.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// Pages of it that are not used cost nothing.
enum { STACK_BYTES = 512 << 20 };

typedef struct Job {
  ApartFunction *function;
  void *context;
  Error error;  // with its status, also OK
} Job;

// ---- in the new process

static void *run_job(void *data) {
  Job *job = data;
  job->error.status = job->function(job->context, &job->error);
  return NULL;
}

// On the usual stack if there is no memory for a large one.
static void run_on_large_stack(Job *job) {
  pthread_attr_t attributes;
  pthread_t thread;
  bool is_started = false;
  // Otherwise libclang would start a thread with a small stack.
  setenv("LIBCLANG_NOTHREADS", "1", 1);
  if (pthread_attr_init(&attributes) == 0) {
    is_started = pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
                 pthread_create(&thread, &attributes, run_job, job) == 0;
    pthread_attr_destroy(&attributes);
  }
  if (is_started)
    pthread_join(thread, NULL);
  else
    run_job(job);
}

static bool send_all(int to, const void *data, size_t size) {
  for (const char *at = data; size > 0;) {
    ssize_t sent = write(to, at, size);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    size -= (size_t)sent;
  }
  return true;
}

// Does not outlive the process that waits for it.
static void run_child(Job *job, int to) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  run_on_large_stack(job);
  fflush(NULL);
  exit(send_all(to, &job->error, sizeof job->error) ? EXIT_SUCCESS : EXIT_FAILURE);
}

// ---- in the old one

static bool receive_all(int from, void *data, size_t size) {
  for (char *at = data; size > 0;) {
    ssize_t got = read(from, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= (size_t)got;
  }
  return true;
}

static Status report_crash(int status, const char *what, Error *err) {
  if (!WIFSIGNALED(status))
    return error_set(err, ERR_INTERNAL, "%s: the rewriter exited with status %d", what,
                     WEXITSTATUS(status));
  int signal = WTERMSIG(status);
  return error_set(err, ERR_UNSUPPORTED,
                   "%s cannot be rewritten: libclang, which parses it, crashed (signal %d, %s)%s",
                   what, signal, strsignal(signal),
                   signal == SIGSEGV ? "; a source nested too deeply is the usual cause" : "");
}

static Status await_child(pid_t child, int from, const char *what, Error *err) {
  Error result;
  int status = 0;
  bool is_complete = receive_all(from, &result, sizeof result);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!is_complete || status != 0) return report_crash(status, what, err);
  if (err) *err = result;
  return result.status;
}

Status apart_run(ApartFunction *function, void *context, const char *what, Error *err) {
  Job job = {.function = function, .context = context};
  int ends[2];
  fflush(NULL);  // else both processes would write what is buffered
  if (pipe(ends) != 0) return error_set(err, ERR_IO, "cannot create a pipe: %s", strerror(errno));
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    run_child(&job, ends[1]);
  }
  close(ends[1]);
  Status status = child < 0 ? error_set(err, ERR_IO, "cannot start a process: %s", strerror(errno))
                            : await_child(child, ends[0], what, err);
  close(ends[0]);
  return status;
}
