// SPDX-License-Identifier: MIT
// One element of a job array. It may be killed at any moment and started again: the journal has
// what is settled, everything else is run again. Order of writes: `begin` before a run starts,
// so that a run which kills its host counts as tried; `done` after its results are in the
// store.
#include "batch/element.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "batch/job_list.h"
#include "batch/journal.h"
#include "store/process.h"
#include "study/jobs.h"

// A run of this bundle, and what earlier attempts made of it.
typedef struct ElementRun {
  const ListedRun *listed;
  uint32_t begun;   // in this list
  bool is_settled;  // done or failed
} ElementRun;

typedef struct Element {
  const ElementOptions *options;
  const char *list_path;
  char folder[PATH_MAX];  // of the list
  char own[PATH_MAX];     // heddle
  uint32_t bundle;
  Arena arena;
  JobList list;
  ElementRun *runs;  // in the order of the list
  Journal journal;
  struct timespec *checked;  // when each pinned file was last changed, as far as we know
  size_t failed, killed;
  // While journals are read:
  char host[HOST_BYTES];
  bool is_open;  // the attempt has started and not ended
  char process[PROCESS_TEXT_BYTES];
} Element;

// ---- earlier attempts

static ElementRun *find_run(const Element *element, const char *key) {
  for (size_t i = 0; i < element->list.run_count; i++)
    if (strcmp(element->runs[i].listed->key, key) == 0) return &element->runs[i];
  return NULL;
}

static void on_entry(void *self, const JournalEntry *entry) {
  Element *element = self;
  ElementRun *run = entry->run ? find_run(element, entry->run) : NULL;
  if (entry->event == JOURNAL_START && entry->text && entry->host) {
    element->is_open = strcmp(entry->host, element->host) == 0;
    snprintf(element->process, sizeof element->process, "%s", entry->text);
  }
  if (entry->event == JOURNAL_END) element->is_open = false;
  if (!run) return;
  if (entry->event == JOURNAL_BEGIN) run->begun++;
  if (entry->event == JOURNAL_DONE || entry->event == JOURNAL_FAILED) run->is_settled = true;
}

// One that still runs on another host cannot be seen from here: Slurm starts an
// element again only when it is gone, and people should.
static Status read_attempts(Element *element, Error *err) {
  bool exists = true;
  for (uint32_t attempt = 1; exists; attempt++) {
    element->is_open = false;
    TRY(journal_read(journal_path(&element->arena, element->folder, element->bundle, attempt),
                     on_entry, element, &exists, err));
    if (exists && element->is_open && !process_is_gone(element->process))
      return error_set(err, ERR_USAGE, "bundle %u is being run by another process on this host",
                       element->bundle);
  }
  return OK;
}

// ---- files that must not change

static Status note_files(Element *element, Error *err) {
  element->checked = ARENA_ARRAY(&element->arena, struct timespec, element->list.file_count);
  TRY(job_list_check_files(&element->list, err));
  for (size_t i = 0; i < element->list.file_count; i++) {
    struct stat file = {0};
    stat(element->list.files[i].path, &file);
    element->checked[i] = file.st_mtim;
  }
  return OK;
}

// Read again only if something touched them: they may be large.
// Before every run, not once: a rebuild during the study would mix results of two programs.
static Status check_files(Element *element, Error *err) {
  for (size_t i = 0; i < element->list.file_count; i++) {
    struct stat file = {0};
    const struct timespec *before = &element->checked[i];
    bool is_there = stat(element->list.files[i].path, &file) == 0;
    if (is_there && file.st_mtim.tv_sec == before->tv_sec &&
        file.st_mtim.tv_nsec == before->tv_nsec)
      continue;
    return note_files(element, err);
  }
  return OK;
}

// ---- runs

static Status on_job(void *self, const Job *job, bool is_over, Error *err) {
  Element *element = self;
  ElementRun *run = find_run(element, job->key);
  JournalEntry entry = {.event = JOURNAL_BEGIN, .run = job->key};
  if (!is_over) {
    TRY(check_files(element, err));
    run->begun++;
    return journal_add(&element->journal, &entry, err);
  }
  entry.seconds = job->seconds;
  entry.text = job->is_done ? NULL : job->failure;
  entry.event = job->is_done ? JOURNAL_DONE : job->was_killed ? JOURNAL_KILLED : JOURNAL_FAILED;
  run->is_settled = !job->was_killed;
  element->failed += entry.event == JOURNAL_FAILED;
  return journal_add(&element->journal, &entry, err);
}

// Tries of earlier rounds count.
static bool is_to_run(const Element *element, const ElementRun *run) {
  return !run->is_settled && run->listed->tries + run->begun <= element->list.retries;
}

static Job make_job(const ElementRun *run) {
  return (Job){.label = run->listed->label, .key = run->listed->key, .spec = run->listed->spec};
}

// All that are to be run, once; *count is how many there were.
static Status run_pass(Element *element, size_t *count, Error *err) {
  Job *jobs = ARENA_ARRAY(&element->arena, Job, element->list.run_count);
  JobsOptions options = {.db = element->journal.store,
                         .processes = element->list.processes,
                         .progress = element->options->progress,
                         .stop = element->options->stop,
                         .on_job = on_job,
                         .self = element};
  *count = 0;
  for (size_t i = 0; i < element->list.run_count; i++)
    if (is_to_run(element, &element->runs[i])) jobs[(*count)++] = make_job(&element->runs[i]);
  return *count ? jobs_run(jobs, *count, &options, &element->arena, err) : OK;
}

// Those that were killed (for want of memory, say) are run again at the end.
static Status run_all(Element *element, Error *err) {
  size_t count;
  do TRY(run_pass(element, &count, err));
  while (count);
  for (size_t i = 0; i < element->list.run_count; i++)
    element->killed += !element->runs[i].is_settled;
  if (!element->failed && !element->killed) return OK;
  return error_set(err, ERR_PROGRAM, "%zu runs failed, %zu were killed too often", element->failed,
                   element->killed);
}

// ---- the attempt

// The journal ends in order, so that the submitting program knows why and does not resubmit.
static Status refuse(Element *element, Status status, Error *err) {
  Error ignored;
  JournalEntry refused = {.event = JOURNAL_REFUSED, .text = err->text};
  JournalEntry end = {.event = JOURNAL_END};
  journal_add(&element->journal, &refused, &ignored);
  journal_add(&element->journal, &end, &ignored);
  return status;
}

static Status run_attempt(Element *element, Error *err) {
  char process[PROCESS_TEXT_BYTES];
  JournalEntry start = {
      .event = JOURNAL_START, .text = process_text(process), .host = element->host};
  JournalEntry end = {.event = JOURNAL_END};
  TRY(journal_add(&element->journal, &start, err));
  Status status = note_files(element, err);
  if (status != OK) return refuse(element, status, err);
  status = run_all(element, err);
  Error ignored;
  if (status != OK && status != ERR_PROGRAM) end.text = err->text;
  Status ended = journal_add(&element->journal, &end, status == OK ? err : &ignored);
  return status == OK ? ended : status;
}

static Status open_list(Element *element, Error *err) {
  char path[PATH_MAX];
  if (!realpath(element->list_path, path))
    return error_set(err, ERR_IO, "cannot open %s: %s", element->list_path, strerror(errno));
  snprintf(element->folder, sizeof element->folder, "%.*s", (int)(strrchr(path, '/') - path), path);
  TRY(job_list_read(&element->list, path, element->bundle, err));
  if (element->bundle < 1 || element->bundle > element->list.bundle_count)
    return error_set(err, ERR_USAGE, "%s: no bundle %u; bundles are numbered 1 to %u",
                     element->list_path, element->bundle, element->list.bundle_count);
  ssize_t length = readlink("/proc/self/exe", element->own, sizeof element->own - 1);
  if (length < 0)
    return error_set(err, ERR_IO, "cannot determine the location of the heddle executable");
  if (chdir(element->list.folder) != 0)
    return error_set(err, ERR_IO, "cannot enter %s, where the study was submitted: %s",
                     element->list.folder, strerror(errno));
  return OK;
}

static Status run_bundle(Element *element, Error *err) {
  TRY(open_list(element, err));
  element->runs = ARENA_ARRAY(&element->arena, ElementRun, element->list.run_count);
  for (size_t i = 0; i < element->list.run_count; i++)
    element->runs[i].listed = &element->list.runs[i];
  TRY(read_attempts(element, err));
  TRY(journal_create(&element->journal, element->folder, element->bundle, &element->arena, err));
  Status status = run_attempt(element, err);
  journal_close(&element->journal);
  return status;
}

Status element_run(const char *list_path, uint32_t bundle, const ElementOptions *options,
                   Error *err) {
  Element *element = memory_alloc(sizeof *element);
  element->options = options;
  element->list_path = list_path;
  element->bundle = bundle;
  element->journal.file = -1;
  host_name(element->host);
  Status status = run_bundle(element, err);
  job_list_clear(&element->list);
  arena_clear(&element->arena);
  memory_free(element);
  return status;
}
