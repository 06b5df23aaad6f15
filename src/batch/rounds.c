// SPDX-License-Identifier: MIT
// State of a study on other hosts, reconstructed from files alone: lists (what was submitted),
// journals (what elements did), marks (what the user asked for) and Slurm's queue. Nothing is
// kept in a process, so any of them may be killed, and --status works from any terminal.
#include "batch/rounds.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "batch/journal.h"
#include "batch/slurm.h"
#include "store/process.h"

const char *rounds_folder(Arena *arena, const char *db) {
  return arena_printf(arena, "%s.jobs", db);
}

BatchRun *rounds_find(const Rounds *rounds, const char *key) {
  BatchRun *run;
  HASH_FIND_STR(rounds->runs, key, run);
  return run;
}

// Files in a round's folder.
static const char cancelled_mark[] = "cancelled", resumed_mark[] = "resumed";
static const char abandoned_mark[] = "abandoned";

static bool is_for_slurm(const Round *round) {
  return round->list.array_size > 0;
}

// ---- journals

typedef struct Look {
  Rounds *rounds;
  Round *round;
  BatchElement *element;
  const char *host;
  bool has_store;
} Look;

// A run belongs to the newest round that lists it; journals of older rounds must not change it.
// Done stays done, whatever a later attempt says.
static void note_run(Look *look, const JournalEntry *entry) {
  BatchRun *run = rounds_find(look->rounds, entry->run);
  if (!run || run->round != look->round || run->element != look->element) return;
  if (entry->event == JOURNAL_BEGIN) run->tries++;
  if (run->state == RUN_DONE) return;
  run->attempt = look->element->attempts;
  run->has_store = look->has_store;
  run->seconds = entry->seconds;
  if (entry->text) run->failure = arena_strdup(&look->rounds->arena, entry->text);
  switch (entry->event) {
    case JOURNAL_BEGIN: run->state = RUN_RUNNING; break;
    case JOURNAL_DONE: run->state = RUN_DONE; break;
    case JOURNAL_FAILED: run->state = RUN_FAILED; break;
    case JOURNAL_KILLED: run->state = RUN_KILLED; break;
    default: break;
  }
}

static void on_entry(void *self, const JournalEntry *entry) {
  Look *look = self;
  BatchElement *element = look->element;
  Arena *arena = &look->rounds->arena;
  if (entry->event == JOURNAL_START && entry->host && entry->text) {
    bool is_own_host = strcmp(entry->host, look->host) == 0;
    element->is_here = is_own_host && !process_is_gone(entry->text);
    element->was_here = is_own_host && !element->is_here;
  }
  if (entry->event == JOURNAL_REFUSED && entry->text)
    element->refusal = arena_strdup(arena, entry->text);
  if (entry->event == JOURNAL_END) element->has_ended = true;
  if (entry->run) note_run(look, entry);
}

// Attempts are numbered without gaps: each creates its journal exclusively before it does
// anything.
static Status read_element(Look *look, Error *err) {
  Arena arena = {0};
  BatchElement *element = look->element;
  bool exists = true;
  Status status = OK;
  for (uint32_t attempt = 1; status == OK && exists; attempt++) {
    const char *path = journal_path(&arena, look->round->folder, element->bundle, attempt);
    const char *store = journal_store_path(&arena, look->round->folder, element->bundle, attempt);
    if (access(path, F_OK) != 0) break;
    element->attempts = attempt;
    element->has_ended = element->is_here = element->was_here = false;
    element->refusal = NULL;
    look->has_store = access(store, F_OK) == 0;
    status = journal_read(path, on_entry, look, &exists, err);
  }
  arena_clear(&arena);
  return status;
}

// ---- rounds

// Rounds are read in ascending order: a resubmitted run replaces its entry of the round before.
static void know_runs(Rounds *rounds, Round *round) {
  BatchRun *runs = ARENA_ARRAY(&rounds->arena, BatchRun, round->list.run_count);
  for (size_t i = 0; i < round->list.run_count; i++) {
    const ListedRun *listed = &round->list.runs[i];
    BatchRun *before = rounds_find(rounds, listed->key);
    if (before) HASH_DEL(rounds->runs, before);
    runs[i] = (BatchRun){.listed = listed,
                         .round = round,
                         .element = &round->elements[listed->bundle - 1],
                         .tries = listed->tries};
    HASH_ADD_KEYPTR(hh, rounds->runs, listed->key, strlen(listed->key), &runs[i]);
  }
}

static Status read_list(Round *round, Arena *arena, Error *err) {
  const char *path = arena_printf(arena, "%s/list.jsonl", round->folder);
  Status status = job_list_read(&round->list, path, ALL_BUNDLES, err);
  if (status != ERR_SYNTAX) return status;
  Error why = *err;
  return error_set(
      err, ERR_SYNTAX,
      "%s. Save the completed runs with `heddle merge STORE %s/*.db`, then remove that folder",
      why.text, round->folder);
}

static bool has_mark(Rounds *rounds, const Round *round, const char *name) {
  return access(arena_printf(&rounds->arena, "%s/%s", round->folder, name), F_OK) == 0;
}

static Status read_round(Rounds *rounds, Round *round, Error *err) {
  TRY(read_list(round, &rounds->arena, err));
  round->elements = ARENA_ARRAY(&rounds->arena, BatchElement, round->list.bundle_count);
  for (uint32_t i = 0; i < round->list.bundle_count; i++) round->elements[i].bundle = i + 1;
  know_runs(rounds, round);
  return OK;
}

static void read_marks(Rounds *rounds, Round *round) {
  round->is_cancelled = has_mark(rounds, round, cancelled_mark);
  round->was_cancelled = round->is_cancelled || has_mark(rounds, round, resumed_mark);
  round->is_abandoned = has_mark(rounds, round, abandoned_mark);
}

static Status read_journals(Rounds *rounds, Round *round, Error *err) {
  char host[HOST_BYTES];
  Look look = {.rounds = rounds, .round = round, .host = host_name(host)};
  for (uint32_t i = 0; i < round->list.bundle_count; i++) {
    look.element = &round->elements[i];
    TRY(read_element(&look, err));
  }
  return OK;
}

static int by_number(const void *a, const void *b) {
  uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
  return (first > second) - (first < second);
}

// Folders with a numeric name that contain a list: a process killed before it had written
// its list has submitted nothing.
static uint32_t find_numbers(const char *folder, uint32_t **numbers) {
  uint32_t count = 0, capacity = 0;
  char path[4096];
  DIR *entries = opendir(folder);
  *numbers = NULL;
  for (struct dirent *entry; entries && (entry = readdir(entries));) {
    char *end;
    unsigned long number = strtoul(entry->d_name, &end, 10);
    int length = snprintf(path, sizeof path, "%s/%s/list.jsonl", folder, entry->d_name);
    if (!isdigit((unsigned char)entry->d_name[0]) || *end || !number || number > UINT32_MAX)
      continue;
    if (length >= (int)sizeof path || access(path, F_OK) != 0) continue;
    GROW(*numbers, count, capacity);
    (*numbers)[count++] = (uint32_t)number;
  }
  if (entries) closedir(entries);
  if (count) qsort(*numbers, count, sizeof **numbers, by_number);
  return count;
}

static Status read_lists(Rounds *rounds, Error *err) {
  uint32_t *numbers, count = find_numbers(rounds->folder, &numbers);
  rounds->items = ARENA_ARRAY(&rounds->arena, Round, count);
  Status status = OK;
  while (status == OK && rounds->count < count) {
    Round *round = &rounds->items[rounds->count];
    round->number = numbers[rounds->count++];
    round->folder = arena_printf(&rounds->arena, "%s/%u", rounds->folder, round->number);
    status = read_round(rounds, round, err);
  }
  memory_free(numbers);
  return status;
}

// ---- the queue

// Names of studies may have anything in them; names of jobs appear in comma-separated lists.
const char *round_job_name(Arena *arena, const JobList *list, uint32_t first_bundle) {
  char *name = arena_printf(arena, "%.40s-%.12s-%u", list->study, list->digest, first_bundle);
  for (char *at = name; *at; at++)
    if (!isalnum((unsigned char)*at) && *at != '.' && *at != '_') *at = '-';
  return name;
}

static const char *job_names(Rounds *rounds) {
  Arena *arena = &rounds->arena;
  const char *names = NULL;
  for (uint32_t i = 0; i < rounds->count; i++) {
    const JobList *list = &rounds->items[i].list;
    for (uint32_t first = 1; list->array_size && first <= list->bundle_count;
         first += list->array_size)
      names = arena_printf(arena, "%s%s%s", names ? names : "", names ? "," : "",
                           round_job_name(arena, list, first));
  }
  return names;
}

// The element of an array's name and index, or NULL.
static BatchElement *find_element(const Rounds *rounds, const SlurmElement *found) {
  Arena arena = {0};
  BatchElement *element = NULL;
  const char *dash = strrchr(found->name, '-');
  unsigned long first = dash ? strtoul(dash + 1, NULL, 10) : 0;
  for (uint32_t i = 0; i < rounds->count && !element; i++) {
    Round *round = &rounds->items[i];
    unsigned long bundle = first + found->index - 1;
    if (!first || !is_for_slurm(round) || bundle > round->list.bundle_count) continue;
    if (strcmp(round_job_name(&arena, &round->list, (uint32_t)first), found->name) == 0)
      element = &round->elements[bundle - 1];
  }
  arena_clear(&arena);
  return element;
}

// An element may be there twice, once ended and once requeued: the live one counts.
static void on_queued(void *self, const SlurmElement *found) {
  Rounds *rounds = self;
  BatchElement *element = find_element(rounds, found);
  if (!element || element->is_queued) return;
  element->is_queued = found->is_live;
  element->state = arena_strdup(&rounds->arena, found->state);
  element->reason = arena_strdup(&rounds->arena, found->reason);
}

static void on_account(void *self, const SlurmElement *found) {
  Rounds *rounds = self;
  BatchElement *element = find_element(rounds, found);
  if (!element || element->state || found->is_live) return;
  element->state = arena_strdup(&rounds->arena, found->state);
}

// Whether the accounts could say more than the controller does.
static bool has_unexplained(const Rounds *rounds) {
  for (uint32_t i = 0; i < rounds->count; i++)
    for (uint32_t k = 0; is_for_slurm(&rounds->items[i]) && k < rounds->items[i].list.bundle_count;
         k++) {
      const BatchElement *element = &rounds->items[i].elements[k];
      if (!element->state && element->attempts && !element->has_ended) return true;
    }
  return false;
}

// ---- states

// One that has ended may be queued again: it was preempted. While Slurm completes it, it is not.
// Without the queue no element of Slurm is declared over: absence of a journal entry proves
// nothing.
static bool is_over(const Round *round, const BatchElement *element, bool want_queue) {
  bool is_completing = element->state && strcmp(element->state, "COMPLETING") == 0;
  if (element->has_ended && (!element->is_queued || is_completing)) return true;
  if (is_for_slurm(round)) return want_queue && !element->is_queued;
  return !element->is_here && (element->was_here || round->is_abandoned);
}

// Only completed runs give back their tries: one that kills its job must not be tried for ever.
static void settle_run(BatchRun *run) {
  bool is_begun = run->state == RUN_RUNNING;
  if (run->state == RUN_DONE || run->state == RUN_FAILED) {
    if (run->state == RUN_DONE) run->tries = run->listed->tries;
    return;
  }
  if (!run->element->is_over) {
    // Of an attempt that will be followed by another.
    if (is_begun && run->attempt < run->element->attempts) run->state = RUN_WAITING;
    if (run->state == RUN_KILLED) run->state = RUN_WAITING;
    return;
  }
  if (is_begun && !run->failure) run->failure = "its job was killed";
  run->state = is_begun || run->state == RUN_KILLED ? RUN_KILLED : RUN_LEFT;
  // Whoever cancels does not spend tries.
  if (run->round->was_cancelled) run->tries = run->listed->tries;
}

static void settle(Rounds *rounds, bool want_queue) {
  BatchRun *run, *next;
  for (uint32_t i = 0; i < rounds->count; i++)
    for (uint32_t k = 0; k < rounds->items[i].list.bundle_count; k++) {
      BatchElement *element = &rounds->items[i].elements[k];
      element->is_over = is_over(&rounds->items[i], element, want_queue);
    }
  HASH_ITER(hh, rounds->runs, run, next) settle_run(run);
}

// ---- all together

// The queue comes before the journals: of an element that it has no longer, the
// journal is then known to be whole.
static Status read_all(Rounds *rounds, bool want_queue, Error *err) {
  TRY(read_lists(rounds, err));
  const char *names = want_queue ? job_names(rounds) : NULL;
  if (names) TRY(slurm_queue(names, on_queued, rounds, err));
  // After the queue: --cancel marks a round before it removes the jobs. Were it the other
  // way round, jobs could be gone and not cancelled, and would be submitted again.
  for (uint32_t i = 0; i < rounds->count; i++) read_marks(rounds, &rounds->items[i]);
  for (uint32_t i = 0; i < rounds->count; i++) TRY(read_journals(rounds, &rounds->items[i], err));
  if (names && has_unexplained(rounds)) slurm_accounts(names, on_account, rounds);
  settle(rounds, want_queue);
  return OK;
}

Status rounds_read(Rounds *rounds, const char *db, bool want_queue, Error *err) {
  *rounds = (Rounds){0};
  rounds->folder = rounds_folder(&rounds->arena, db);
  Status status = read_all(rounds, want_queue, err);
  if (status != OK) rounds_clear(rounds);
  return status;
}

void rounds_clear(Rounds *rounds) {
  HASH_CLEAR(hh, rounds->runs);
  for (uint32_t i = 0; i < rounds->count; i++) job_list_clear(&rounds->items[i].list);
  arena_clear(&rounds->arena);
  *rounds = (Rounds){0};
}

bool rounds_are_live(const Rounds *rounds) {
  for (uint32_t i = 0; i < rounds->count; i++)
    for (uint32_t k = 0; k < rounds->items[i].list.bundle_count; k++)
      if (!rounds->items[i].elements[k].is_over) return true;
  return false;
}

static Status put_mark(Rounds *rounds, const Round *round, const char *name, Error *err) {
  const char *path = arena_printf(&rounds->arena, "%s/%s", round->folder, name);
  FILE *mark = fopen(path, "we");
  if (!mark) return error_set(err, ERR_IO, "cannot write %s: %s", path, strerror(errno));
  fclose(mark);
  return OK;
}

// The mark before scancel, for the reader above.
Status rounds_cancel(Rounds *rounds, uint32_t *count, Error *err) {
  Arena *arena = &rounds->arena;
  *count = 0;
  for (uint32_t i = 0; i < rounds->count; i++) {
    Round *round = &rounds->items[i];
    TRY(put_mark(rounds, round, cancelled_mark, err));
    for (uint32_t k = 0; k < round->list.bundle_count; k++) *count += round->elements[k].is_queued;
    for (uint32_t first = 1; is_for_slurm(round) && first <= round->list.bundle_count;
         first += round->list.array_size)
      TRY(slurm_cancel(round_job_name(arena, &round->list, first), err));
  }
  return OK;
}

void rounds_resume(Rounds *rounds) {
  for (uint32_t i = 0; i < rounds->count; i++) {
    const char *folder = rounds->items[i].folder;
    if (!rounds->items[i].is_cancelled) continue;
    rename(arena_printf(&rounds->arena, "%s/%s", folder, cancelled_mark),
           arena_printf(&rounds->arena, "%s/%s", folder, resumed_mark));
  }
}

Status rounds_abandon(Rounds *rounds, Error *err) {
  for (uint32_t i = 0; i < rounds->count; i++)
    if (!is_for_slurm(&rounds->items[i]))
      TRY(put_mark(rounds, &rounds->items[i], abandoned_mark, err));
  return OK;
}
