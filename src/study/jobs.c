// SPDX-License-Identifier: MIT
// Jobs: runs that are each recorded in a store, executed in parallel as separate processes
// (`heddle perform`).
#define _GNU_SOURCE  // memfd_create
#include "study/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <uthash.h>

#include "base/memory.h"
#include "base/files/own_folder.h"
#include "run/run_json.h"
#include "store/store.h"
#include "study/jobs_progress.h"

// Short relative to a run, long relative to a poll.
enum { POLL_MS = 10, RUN_PATH_BYTES = 32 };

// A running process.
typedef struct Worker {
  Job *job;  // NULL: free
  pid_t pid;
  int output;  // what it prints
  double started;
  bool is_late;  // has been asked to stop
} Worker;

typedef struct Jobs {
  const JobsOptions *options;
  Arena *arena;
  Worker *workers;
  char heddle[OWN_FOLDER_BYTES];
  JobsProgress progress;
} Jobs;

static int stop_signal(const Jobs *jobs) {
  return jobs->options->stop ? *jobs->options->stop : 0;
}

// ---- starting

// In the child, until exec.
// Runs die with their parent. The parent may have died before prctl: getppid tells.
static void become(const Jobs *jobs, char *file, int output, pid_t parent) {
  char *words[] = {(char *)(uintptr_t)jobs->heddle, "perform", file, NULL};
  int nothing = open("/dev/null", O_RDONLY);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execv(words[0], words);
  fprintf(stderr, "cannot run %s: %s\n", words[0], strerror(errno));
  _exit(127);
}

// Output goes to a file, not a pipe: it need not be read while the run continues, and cannot
// block.
static int nameless_file(void) {
  char name[] = "/tmp/heddle-output-XXXXXX";
  int file = mkstemp(name);
  if (file < 0) return file;
  unlink(name);
  fcntl(file, F_SETFD, FD_CLOEXEC);
  return file;
}

// A file in memory, which the process inherits: nothing is left behind. *descriptor is to be
// closed.
static Status write_run(const Jobs *jobs, const Job *job, char path[RUN_PATH_BYTES],
                        int *descriptor, Error *err) {
  RunSpec spec = *job->spec;
  spec.db = jobs->options->db;
  spec.job = job->key;
  *descriptor = memfd_create("heddle-run", 0);
  if (*descriptor < 0)
    return error_set(err, ERR_IO, "cannot create a file in memory: %s", strerror(errno));
  snprintf(path, RUN_PATH_BYTES, "/proc/self/fd/%d", *descriptor);
  return run_spec_write(&spec, NULL, path, err);
}

static Status fork_worker(const Jobs *jobs, Worker *worker, Job *job, char *run, Error *err) {
  *worker = (Worker){.job = job, .output = nameless_file(), .started = jobs_clock()};
  if (worker->output < 0)
    return error_set(err, ERR_IO, "cannot create a file in /tmp: %s", strerror(errno));
  fflush(NULL);
  pid_t own = getpid();
  worker->pid = fork();
  if (worker->pid == 0) become(jobs, run, worker->output, own);
  if (worker->pid > 0) return OK;
  worker->job = NULL;
  close(worker->output);
  return error_set(err, ERR_IO, "cannot start a process: %s", strerror(errno));
}

static Status start(const Jobs *jobs, Worker *worker, Job *job, Error *err) {
  char path[RUN_PATH_BYTES];
  int descriptor;
  Status status = write_run(jobs, job, path, &descriptor, err);
  if (status == OK) status = fork_worker(jobs, worker, job, path, err);
  if (descriptor >= 0) close(descriptor);
  return status;
}

// ---- ending

// The last non-empty line, in which programs report errors.
static const char *last_line(Arena *arena, int file) {
  char text[4096];
  off_t size = lseek(file, 0, SEEK_END);
  off_t from = size > (off_t)sizeof text - 1 ? size - (off_t)sizeof text + 1 : 0;
  ssize_t length = pread(file, text, sizeof text - 1, from);
  while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' ')) length--;
  if (length <= 0) return "";
  text[length] = '\0';
  const char *newline = strrchr(text, '\n');
  return arena_strdup(arena, newline ? newline + 1 : text);
}

static const char *describe_end(Arena *arena, int status, int output) {
  const char *line = last_line(arena, output);
  if (WIFSIGNALED(status))
    return arena_printf(arena, "killed by signal %d (%s)", WTERMSIG(status),
                        strsignal(WTERMSIG(status)));
  if (*line) return line;
  return arena_printf(arena, "exit code %d", WEXITSTATUS(status));
}

// The store is authoritative. For a process that could not record its own end, this
// function does.
static Status settle(const Jobs *jobs, Job *job, int status, bool is_late, Error *err) {
  Store *store;
  bool was_asked = is_late || stop_signal(jobs);
  int64_t run;
  TRY(store_open(&store, jobs->options->db, STORE_WRITE, err));
  Status result = store_find_job(store, job->key, &run, err);
  job->is_done = result == OK && run;
  if (job->is_done)
    job->failure = NULL;
  else if (result == OK && WIFSIGNALED(status))
    result = was_asked ? store_stop_job(store, job->key, job->failure, err)
                       : store_fail_job(store, job->key, job->failure, err);
  if (result == OK && !job->is_done)
    result = store_job_was_stopped(store, job->key, &job->was_stopped, err);
  store_close(store);
  return result;
}

static Status report(const Jobs *jobs, const Job *job, bool is_over, Error *err) {
  const JobsOptions *options = jobs->options;
  return options->on_job ? options->on_job(options->self, job, is_over, err) : OK;
}

static Status finish(Jobs *jobs, Worker *worker, int status, Error *err) {
  Job *job = worker->job;
  job->was_run = true;
  job->seconds = jobs_clock() - worker->started;
  job->failure = describe_end(jobs->arena, status, worker->output);
  if (worker->is_late)
    job->failure =
        arena_printf(jobs->arena, "not finished after %.0f s", jobs->options->limit_seconds);
  close(worker->output);
  worker->job = NULL;
  TRY(settle(jobs, job, status, worker->is_late, err));
  job->was_killed = !job->is_done && (WIFSIGNALED(status) || stop_signal(jobs));
  TRY(report(jobs, job, true, err));
  jobs_progress_ended(&jobs->progress, job);
  return OK;
}

// Asked, a run ends its program and says so in the store; it kills one that does not end.
static void stop_late(const Jobs *jobs, Worker *worker) {
  double limit = jobs->options->limit_seconds;
  if (limit <= 0 || worker->is_late || jobs_clock() - worker->started < limit) return;
  worker->is_late = true;
  kill(worker->pid, SIGTERM);
}

static Status reap(Jobs *jobs, uint32_t *busy, Error *err) {
  for (uint32_t i = 0; i < jobs->options->processes; i++) {
    Worker *worker = &jobs->workers[i];
    int status;
    if (!worker->job) continue;
    stop_late(jobs, worker);
    if (waitpid(worker->pid, &status, WNOHANG) != worker->pid) continue;
    --*busy;
    TRY(finish(jobs, worker, status, err));
  }
  return OK;
}

// ---- all of them

// Ctrl-C has reached the children; kill has reached only us.
static void pass_on(const Jobs *jobs, int number) {
  for (uint32_t i = 0; i < jobs->options->processes; i++)
    if (jobs->workers[i].job && number != SIGINT) kill(jobs->workers[i].pid, number);
}

static Worker *free_worker(const Jobs *jobs) {
  for (uint32_t i = 0; i < jobs->options->processes; i++)
    if (!jobs->workers[i].job) return &jobs->workers[i];
  return NULL;
}

// Another process may have put it there meanwhile.
static Status is_there(const Jobs *jobs, Job *job, Error *err) {
  Store *store;
  int64_t run;
  TRY(store_open(&store, jobs->options->db, STORE_WRITE, err));
  Status status = store_find_job(store, job->key, &run, err);
  job->is_done = status == OK && run;
  store_close(store);
  return status;
}

// The store is asked again before each run: two comparisons on one store share their work. If
// both start a run at once, the unique index keeps one of the results.
static Status run_all(Jobs *jobs, Job *list, size_t count, Error *err) {
  uint32_t busy = 0;
  bool passed_on = false;
  for (size_t next = 0;;) {
    Worker *worker = free_worker(jobs);
    int stop = stop_signal(jobs);
    if (stop && !passed_on) pass_on(jobs, stop), passed_on = true;
    if (next < count && worker && !stop) {
      Job *job = &list[next++];
      if (job->same_as) continue;
      if (!job->is_done) TRY(is_there(jobs, job, err));
      if (job->is_done) continue;
      TRY(report(jobs, job, false, err));
      TRY(start(jobs, worker, job, err));
      busy++;
      continue;
    }
    if (!busy) return stop ? error_set(err, ERR_INTERRUPTED, "stopped by a signal") : OK;
    poll(NULL, 0, POLL_MS);
    TRY(reap(jobs, &busy, err));
    jobs_progress_show(&jobs->progress, busy);
  }
}

typedef struct FirstOfKey {
  Job *job;
  UT_hash_handle hh;
} FirstOfKey;

// Two schemes may resolve to the same configuration: run once, reported for both.
static void find_repeats(Job *list, size_t count) {
  FirstOfKey *firsts = NULL, *known = memory_alloc(sizeof *known * (count + 1));
  for (size_t i = 0; i < count; i++) {
    FirstOfKey *first;
    HASH_FIND_STR(firsts, list[i].key, first);
    list[i].same_as = first ? first->job : NULL;
    if (first) continue;
    known[i].job = &list[i];
    HASH_ADD_KEYPTR(hh, firsts, list[i].key, strlen(list[i].key), &known[i]);
  }
  HASH_CLEAR(hh, firsts);
  memory_free(known);
}

void jobs_copy_repeats(Job *list, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!list[i].same_as) continue;
    list[i].is_done = list[i].same_as->is_done;
    list[i].failure = list[i].same_as->failure;
    list[i].was_stopped = list[i].same_as->was_stopped;
  }
}

// Finds runs already in the store, with one query.
static Status find_done(Job *list, size_t count, const char *db, Error *err) {
  Store *store;
  int64_t run;
  Status status = OK;
  TRY(store_open(&store, db, STORE_WRITE, err));
  for (size_t i = 0; i < count && status == OK; i++) {
    status = store_find_job(store, list[i].key, &run, err);
    list[i].is_done = status == OK && run;
  }
  store_close(store);
  return status;
}

Status jobs_look_up(Job *list, size_t count, const char *db, Error *err) {
  find_repeats(list, count);
  return find_done(list, count, db, err);
}

Status jobs_run(Job *list, size_t count, const JobsOptions *options, Arena *arena, Error *err) {
  Jobs jobs = {.options = options, .arena = arena};
  TRY(jobs_look_up(list, count, options->db, err));
  TRY(own_program(jobs.heddle, err));
  jobs_progress_init(&jobs.progress, options->progress, list, count, options->processes);
  jobs.workers = memory_alloc(sizeof *jobs.workers * options->processes);
  Status status = run_all(&jobs, list, count, err);
  // After an error, terminate the running processes.
  for (uint32_t i = 0; i < options->processes; i++) {
    if (!jobs.workers[i].job) continue;
    kill(jobs.workers[i].pid, SIGKILL);
    waitpid(jobs.workers[i].pid, NULL, 0);
    close(jobs.workers[i].output);
  }
  jobs_progress_end(&jobs.progress);
  jobs_copy_repeats(list, count);
  memory_free(jobs.workers);
  return status;
}
