// SPDX-License-Identifier: MIT
// A study on other hosts: submits its runs, waits for them, answers --status and --cancel.
#include "batch/study_batch.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "base/text/shell_words.h"
#include "base/text/terminal.h"
#include "base/version.h"
#include "batch/bundles.h"
#include "batch/rounds.h"
#include "batch/slurm.h"
#include "batch/submit.h"
#include "batch/tally.h"
#include "study/jobs_progress.h"

typedef struct Batch {
  StudyPlace place;
  const char *study;
  const StudyRequest *request;
  StudyJobs *made;
  const volatile sig_atomic_t *stop;
  Arena arena;
  const char *db, *folder;  // absolute
  uint32_t retries, processes;
  double element_seconds;
  char **slurm_options;
  FILE *messages;        // NULL with --quiet
  uint32_t last_before;  // last round of an earlier call: its failures are retried
  uint32_t last_own;     // last round submitted by this call, or 0
  double started, handed_out, shown;
  size_t shown_done;
} Batch;

// ---- options

static const char *absolute(Arena *arena, const char *path) {
  char folder[PATH_MAX];
  if (*path == '/' || !getcwd(folder, sizeof folder)) return arena_strdup(arena, path);
  return arena_printf(arena, "%s/%s", folder, path);
}

// Where the last round was submitted.
static Status place_of_last(const char *db, StudyPlace *place, Error *err) {
  Rounds rounds;
  TRY(rounds_read(&rounds, db, false, err));
  bool is_any = rounds.count > 0;
  if (is_any)
    *place = rounds.items[rounds.count - 1].list.array_size ? PLACE_SLURM : PLACE_COMMANDS;
  rounds_clear(&rounds);
  if (is_any) return OK;
  return error_set(
      err, ERR_USAGE,
      "nothing to resume: no unfinished submitted runs of %s (--on slurm submits them)", db);
}

Status study_batch_place(const StudyRequest *request, StudyPlace *place, Error *err) {
  const char *on = request->on;
  *place = PLACE_HERE;
  if (on && strcmp(on, "slurm") == 0)
    *place = PLACE_SLURM;
  else if (on && strcmp(on, "commands") == 0)
    *place = PLACE_COMMANDS;
  else if (on)
    return error_set(err, ERR_USAGE, "--on %.40s: must be slurm or commands", on);
  else if (request->resume)
    TRY(place_of_last(request->db, place, err));
  if (*place != PLACE_SLURM && request->slurm)
    return error_set(err, ERR_USAGE, "--slurm needs --on slurm");
  bool has_retries = request->retries != NOT_GIVEN;
  if (*place == PLACE_HERE && (has_retries || request->element_seconds != NOT_GIVEN))
    return error_set(err, ERR_USAGE, "%s needs --on",
                     has_retries ? "--retries" : "--element-seconds");
  return OK;
}

// Defaults to the options of the last round.
static Status read_slurm_options(Batch *batch, const Rounds *rounds, Error *err) {
  const char *given = batch->request->slurm;
  if (given) return slurm_options_read(&batch->arena, given, &batch->slurm_options, err);
  bool is_resumed = rounds->count && batch->request->resume;
  const char *before = is_resumed ? rounds->items[rounds->count - 1].list.options : "";
  return shell_split(&batch->arena, before, &batch->slurm_options, err);
}

// ---- command line that resumes

static const char *own_command(Arena *arena, const char *option) {
  enum { LIMIT_BYTES = 1 << 20 };
  char *text = arena_alloc(arena, LIMIT_BYTES);
  FILE *file = fopen("/proc/self/cmdline", "re");
  size_t length = file ? fread(text, 1, LIMIT_BYTES - 1, file) : 0, count = 0;
  if (file) fclose(file);
  char **words = ARENA_ARRAY(arena, char *, length + 3);
  bool is_added = false;
  for (char *at = text; at < text + length; at += strlen(at) + 1) {
    if (!is_added && strcmp(at, "--") == 0)
      words[count++] = arena_strdup(arena, option), is_added = true;
    if (is_added || strcmp(at, option) != 0) words[count++] = at;
  }
  if (!is_added) words[count++] = arena_strdup(arena, option);
  return count > 1 ? shell_join(arena, words) : option;
}

// ---- submission

static bool is_wanted(const Batch *batch, const Rounds *rounds, const Job *job) {
  if (job->is_done || job->same_as) return false;
  const BatchRun *run = rounds_find(rounds, job->key);
  if (!run) return true;
  switch (run->state) {
    case RUN_WAITING:
    case RUN_RUNNING: return false;
    case RUN_DONE: return run->element->is_over;  // but not in the store: its file was damaged
    case RUN_FAILED: return run->round->number <= batch->last_before;
    default: return !tally_is_spent(run, batch->retries);
  }
}

static Status estimate(const Batch *batch, JobList *list, const RunLabels *labels, Error *err) {
  Store *store;
  double *seconds = memory_alloc(sizeof *seconds * (list->run_count + 1));
  bool *is_guess = memory_alloc(sizeof *is_guess * (list->run_count + 1));
  Status status = store_open(&store, batch->db, STORE_WRITE, err);
  if (status == OK) {
    status = bundles_estimate(store, labels, list->run_count, seconds, is_guess, err);
    store_close(store);
  }
  for (size_t i = 0; i < list->run_count; i++) {
    list->runs[i].seconds = seconds[i];
    list->runs[i].is_guess = is_guess[i];
  }
  memory_free(seconds);
  memory_free(is_guess);
  return status;
}

static void add_run(JobList *list, const Rounds *rounds, const Job *job) {
  const BatchRun *before = rounds_find(rounds, job->key);
  GROW(list->runs, list->run_count, list->run_capacity);
  list->runs[list->run_count++] = (ListedRun){
      .key = job->key, .label = job->label, .tries = before ? before->tries : 0, .spec = job->spec};
}

static Status fill_list(const Batch *batch, const Rounds *rounds, JobList *list, Error *err) {
  const StudyJobs *made = batch->made;
  RunLabels *labels = ARENA_ARRAY(&list->arena, RunLabels, made->count + 1);
  for (size_t i = 0; i < made->count; i++) {
    if (!is_wanted(batch, rounds, &made->jobs[i])) continue;
    labels[list->run_count] = made->labels[i];
    add_run(list, rounds, &made->jobs[i]);
  }
  for (size_t i = 0; i < made->file_count; i++) TRY(job_list_pin(list, made->files[i], err));
  return estimate(batch, list, labels, err);
}

static void print_commands(const JobList *list, const char *round_folder) {
  Arena arena = {0};
  for (uint32_t i = 1; i <= list->bundle_count; i++) {
    char *words[] = {(char *)(size_t)list->heddle, "bundle",
                     arena_printf(&arena, "%s/list.jsonl", round_folder),
                     arena_printf(&arena, "%u", i), NULL};
    puts(shell_join(&arena, words));
  }
  arena_clear(&arena);
}

static Status submit(Batch *batch, const Rounds *rounds, JobList *list, Error *err) {
  char folder[PATH_MAX] = ".";
  const char *round_folder;
  if (!getcwd(folder, sizeof folder))
    return error_set(err, ERR_IO, "cannot find this folder's path");
  list->study = batch->study;
  list->store = batch->db;
  list->folder = folder;
  list->heddle = batch->made->heddle;
  list->version = version_text();
  list->options = shell_join(&list->arena, batch->slurm_options);
  if (!list->options) list->options = "";
  list->retries = batch->retries;
  list->processes = batch->processes;
  list->round = rounds->count ? rounds->items[rounds->count - 1].number : 0;
  SubmitOptions options = {.is_slurm = batch->place == PLACE_SLURM,
                           .slurm_options = batch->slurm_options,
                           .element_seconds = batch->element_seconds,
                           .messages = batch->messages};
  TRY(fill_list(batch, rounds, list, err));
  TRY(submit_round(list, batch->folder, &options, &round_folder, err));
  if (batch->place == PLACE_COMMANDS) print_commands(list, round_folder);
  batch->last_own = list->round;
  batch->handed_out = jobs_clock();
  if (batch->messages)
    fprintf(batch->messages, "%zu runs in %u %s (%s)\n", list->run_count, list->bundle_count,
            batch->place == PLACE_SLURM ? "jobs" : "commands", round_folder);
  return OK;
}

static Status hand_out(Batch *batch, const Rounds *rounds, Error *err) {
  JobList list = {0};
  Status status = submit(batch, rounds, &list, err);
  job_list_clear(&list);
  return status;
}

// ---- polling

static Status look(Batch *batch, Rounds *rounds, Error *err) {
  TRY(rounds_read(rounds, batch->db, batch->place == PLACE_SLURM, err));
  Status status = rounds_merge(rounds, batch->db, stderr, err);
  if (status == OK) status = jobs_look_up(batch->made->jobs, batch->made->count, batch->db, err);
  if (status == OK)
    rounds_remove_over(rounds);
  else
    rounds_clear(rounds);
  return status;
}

static size_t count_wanted(const Batch *batch, const Rounds *rounds) {
  size_t count = 0;
  for (size_t i = 0; i < batch->made->count; i++)
    count += is_wanted(batch, rounds, &batch->made->jobs[i]);
  return count;
}

static void note_failures(Batch *batch, const Rounds *rounds) {
  Arena *arena = &batch->made->arena;
  for (size_t i = 0; i < batch->made->count; i++) {
    Job *job = &batch->made->jobs[i];
    const BatchRun *run = rounds_find(rounds, job->key);
    if (job->is_done || !run) continue;
    const char *why = run->failure ? run->failure : "its job was killed";
    if (tally_is_spent(run, batch->retries))
      job->failure = arena_printf(arena, "killed %u times (%s%s%s); --retries %u tries again",
                                  run->tries, why, run->element->state ? ", " : "",
                                  run->element->state ? run->element->state : "", run->tries);
    else if (run->state == RUN_FAILED)
      job->failure = arena_strdup(arena, why);
  }
  jobs_copy_repeats(batch->made->jobs, batch->made->count);
}

static void show_progress(Batch *batch, const Rounds *rounds) {
  char line[TALLY_LINE_BYTES];
  Tally tally = tally_make(rounds, batch->made->jobs, batch->made->count);
  double now = jobs_clock();
  if (!batch->messages) return;
  if (terminal_is(batch->messages)) {
    // A longer line would be wrapped, and its beginning stay.
    fprintf(batch->messages, "\r%.*s\033[K", terminal_width(batch->messages) - 1,
            tally_line(&tally, line));
    fflush(batch->messages);
  } else if (!batch->shown || (tally.done != batch->shown_done && now - batch->shown > 10)) {
    fprintf(batch->messages, "%s\n", tally_line(&tally, line));
    batch->shown = now;
    batch->shown_done = tally.done;
  }
}

static void hide_progress(const Batch *batch) {
  if (batch->messages && terminal_is(batch->messages)) fputs("\r\033[K", batch->messages);
}

// ---- waiting for Slurm

static bool is_cancelled(const Rounds *rounds) {
  for (uint32_t i = 0; i < rounds->count; i++)
    if (rounds->items[i].is_cancelled) return true;
  return false;
}

// If a round ended without starting a run, so would the next.
static Status check_progress(const Batch *batch, const Rounds *rounds, Error *err) {
  const Round *last = rounds->count ? &rounds->items[rounds->count - 1] : NULL;
  BatchRun *run, *next;
  if (!batch->last_own || !last || last->number != batch->last_own) return OK;
  HASH_ITER(hh, rounds->runs, run, next)
  if (run->round == last &&
      (run->tries > run->listed->tries || run->state == RUN_DONE || run->state == RUN_FAILED))
    return OK;
  const char *state = NULL;
  for (uint32_t i = 0; i < last->list.bundle_count; i++) {
    if (last->elements[i].refusal)
      return error_set(err, ERR_USAGE, "no run started: %s", last->elements[i].refusal);
    if (last->elements[i].state) state = last->elements[i].state;
  }
  return error_set(
      err, ERR_IO,
      "no run started%s%s; see the jobs' output in %s/*.out; --resume submits them again",
      state ? ": Slurm reports " : "", state ? state : "", last->folder);
}

// Submits the next round if needed; *is_over if nothing is left to wait for.
static Status go_on(Batch *batch, Rounds *rounds, bool *is_over, Error *err) {
  bool is_live = rounds_are_live(rounds);
  uint32_t ignored;
  *is_over = false;
  if (is_cancelled(rounds)) {
    if (is_live) return rounds_cancel(rounds, &ignored, err);  // jobs submitted in the meantime
    return error_set(err, ERR_INTERRUPTED, "cancelled; to continue: %s",
                     own_command(&batch->arena, "--resume"));
  }
  bool may_hand_out = !is_live || jobs_clock() - batch->handed_out > 60;
  if (may_hand_out && count_wanted(batch, rounds)) {
    if (!is_live) TRY(check_progress(batch, rounds, err));
    return hand_out(batch, rounds, err);
  }
  *is_over = !is_live;
  return OK;
}

static void sleep_a_while(const Batch *batch) {
  double seconds = (jobs_clock() - batch->started) / 20;
  if (seconds < 0.3) seconds = 0.3;
  if (seconds > 10) seconds = 10;
  if (!*batch->stop) poll(NULL, 0, (int)(seconds * 1000));
}

static Status interrupted(Batch *batch, Error *err) {
  return error_set(err, ERR_INTERRUPTED,
                   "interrupted; the jobs stay in Slurm's queue. To resume: %s",
                   own_command(&batch->arena, "--resume"));
}

// squeue may fail temporarily, for example while the controller restarts.
static Status look_patiently(Batch *batch, Rounds *rounds, Error *err) {
  enum { MOST_FAILURES = 20 };
  Status status = look(batch, rounds, err);
  for (int i = 0; i < MOST_FAILURES && status == ERR_IO && !*batch->stop; i++) {
    if (i == 0 && batch->messages) fprintf(batch->messages, "heddle: %s; waiting\n", err->text);
    sleep_a_while(batch);
    status = look(batch, rounds, err);
  }
  return status;
}

static Status wait_for_all(Batch *batch, Rounds *rounds, Error *err) {
  bool is_over = false;
  for (;;) {
    if (*batch->stop) return interrupted(batch, err);
    TRY(go_on(batch, rounds, &is_over, err));
    show_progress(batch, rounds);
    if (is_over) return OK;
    sleep_a_while(batch);
    rounds_clear(rounds);
    TRY(look_patiently(batch, rounds, err));
  }
}

// ---- Slurm and commands

// Rejects accidental double submission, which would be expensive.
static Status check_live(const Batch *batch, const Rounds *rounds, Error *err) {
  if (!rounds_are_live(rounds) || batch->request->resume) return OK;
  return error_set(
      err, ERR_USAGE,
      "runs of %s are already submitted: --status shows them, --resume waits for them%s", batch->db,
      batch->place == PLACE_SLURM ? ", --cancel removes them" : "");
}

static Status start(Batch *batch, Rounds *rounds, bool *is_waiting, Error *err) {
  TRY(check_live(batch, rounds, err));
  TRY(read_slurm_options(batch, rounds, err));
  rounds_resume(rounds);
  for (uint32_t i = 0; i < rounds->count; i++) rounds->items[i].is_cancelled = false;
  batch->last_before = rounds->count ? rounds->items[rounds->count - 1].number : 0;
  if (batch->place == PLACE_SLURM) return wait_for_all(batch, rounds, err);
  *is_waiting = count_wanted(batch, rounds) > 0;
  return *is_waiting ? hand_out(batch, rounds, err) : OK;
}

// Whether printed commands will still be executed is unknown; --resume asserts that they will not.
static Status abandon_commands(const Batch *batch, Error *err) {
  Rounds rounds;
  if (!batch->request->resume) return OK;
  TRY(rounds_read(&rounds, batch->db, false, err));
  Status status = rounds_abandon(&rounds, err);
  rounds_clear(&rounds);
  return status;
}

static Status run_locked(Batch *batch, bool *is_waiting, Error *err) {
  Rounds rounds;
  TRY(abandon_commands(batch, err));
  TRY(look(batch, &rounds, err));
  Status status = start(batch, &rounds, is_waiting, err);
  hide_progress(batch);
  note_failures(batch, &rounds);
  rounds_clear(&rounds);
  return status;
}

static Status run_batch(Batch *batch, bool *is_waiting, Error *err) {
  TRY(rounds_lock(batch->folder, err));
  Status status = run_locked(batch, is_waiting, err);
  rounds_unlock(batch->folder);
  return status;
}

static uint32_t given_or(uint32_t number, uint32_t otherwise) {
  return number == NOT_GIVEN ? otherwise : number;
}

Status study_batch_run(StudyPlace place, const char *study, const StudyRequest *request,
                       StudyJobs *made, const volatile sig_atomic_t *stop, bool *is_waiting,
                       Error *err) {
  Batch batch = {.place = place,
                 .study = study,
                 .request = request,
                 .made = made,
                 .stop = stop,
                 .retries = given_or(request->retries, RETRIES_DEFAULT),
                 .processes = request->processes ? request->processes : 1,
                 .element_seconds = given_or(request->element_seconds, ELEMENT_SECONDS_DEFAULT),
                 .messages = request->quiet ? NULL : stderr,
                 .started = jobs_clock()};
  *is_waiting = false;
  batch.db = absolute(&batch.arena, request->db);
  batch.folder = rounds_folder(&batch.arena, batch.db);
  Status status = run_batch(&batch, is_waiting, err);
  arena_clear(&batch.arena);
  return status;
}

// ---- submitted runs, when running locally

Status study_batch_collect(const StudyRequest *request, Error *err) {
  const char *db = request->db;
  Rounds rounds;
  TRY(rounds_read(&rounds, db, false, err));
  Status status = rounds_merge(&rounds, db, stderr, err);
  if (status == OK && rounds_are_live(&rounds) && !request->quiet)
    fprintf(stderr, "heddle: submitted runs that have not completed are also run here\n");
  rounds_clear(&rounds);
  if (status == OK) status = rounds_read(&rounds, db, false, err);
  if (status == OK) {
    rounds_remove_over(&rounds);
    rmdir(rounds.folder);
    rounds_clear(&rounds);
  }
  return status;
}
