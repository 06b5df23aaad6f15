// SPDX-License-Identifier: MIT
// Questions about submitted runs: they read a store's rounds and may run while another process
// submits or waits.
#include "batch/rounds.h"
#include "batch/tally.h"
#include "batch/study_batch.h"
#include "study/jobs_progress.h"

// ---- --cancel

static Status cancel(const char *db, Error *err) {
  Rounds rounds;
  uint32_t count = 0;
  TRY(rounds_read(&rounds, db, true, err));
  Status status = OK;
  if (!rounds.count)
    status = error_set(err, ERR_USAGE, "nothing to cancel: no submitted runs of %s", db);
  else
    status = rounds_cancel(&rounds, &count, err);
  if (status == OK)
    printf("%u jobs cancelled; completed runs are kept, --resume submits the rest\n", count);
  rounds_clear(&rounds);
  return status;
}

// ---- --status

// Reads the runs of the study from the store.
static Status read_jobs(const char *db, const char *study, Arena *arena, Job **jobs, size_t *count,
                        Error *err) {
  Store *store;
  json_t *table = NULL, *row;
  size_t i;
  TRY(store_open(&store, db, STORE_READ, err));
  Status status =
      store_select(store, &table, err,
                   "select distinct s.job, r.id from studies join study_runs as s on study = "
                   "studies.id left join runs as r on r.job = s.job and r.state = 'complete' "
                   "where name = ?",
                   "t", study);
  json_t *rows = json_object_get(table, "rows");
  *count = json_array_size(rows);
  *jobs = ARENA_ARRAY(arena, Job, *count + 1);
  json_array_foreach(rows, i, row) {
    (*jobs)[i].key = arena_strdup(arena, json_string_value(json_array_get(row, 0)));
    (*jobs)[i].is_done = !json_is_null(json_array_get(row, 1));
  }
  json_decref(table);
  store_close(store);
  return status;
}

static void print_failures(const Rounds *rounds) {
  enum { SHOWN = 5 };
  int count = 0;
  BatchRun *run, *next;
  HASH_ITER(hh, rounds->runs, run, next) {
    bool is_failed = run->state == RUN_FAILED || tally_is_spent(run, run->round->list.retries);
    if (!is_failed || count++ >= SHOWN) continue;
    printf("  %s: %s\n", run->listed->label, run->failure ? run->failure : "killed");
  }
  for (uint32_t i = 0; i < rounds->count; i++)
    for (uint32_t k = 0; k < rounds->items[i].list.bundle_count; k++)
      if (rounds->items[i].elements[k].refusal && count++ < SHOWN)
        printf("  job %u: %s\n", k + 1, rounds->items[i].elements[k].refusal);
}

static void print_status(const char *study, const Rounds *rounds, const Tally *tally) {
  char left[DURATION_BYTES];
  printf("%s: %zu runs\n", study, tally->count);
  printf("  done     %6zu\n  running  %6zu\n  waiting  %6zu\n  failed   %6zu\n", tally->done,
         tally->running, tally->waiting, tally->failed);
  if (tally->lost) printf("  lost     %6zu  (--resume submits them again)\n", tally->lost);
  printf("jobs: %zu running, %zu waiting%s%s%s\n", tally->elements_running, tally->elements_waiting,
         tally->reason ? " (" : "", tally->reason ? tally->reason : "", tally->reason ? ")" : "");
  if (tally->seconds_left >= 0)
    printf("time left: about %s\n", jobs_duration(left, tally->seconds_left));
  print_failures(rounds);
}

static Status show_status(const char *db, const Rounds *rounds, Arena *arena, Error *err) {
  Job *jobs;
  size_t count;
  if (!rounds->count) {
    printf("%s: no submitted runs\n", db);
    return OK;
  }
  const char *study = rounds->items[rounds->count - 1].list.study;
  TRY(read_jobs(db, study, arena, &jobs, &count, err));
  Tally tally = tally_make(rounds, jobs, count);
  print_status(study, rounds, &tally);
  return OK;
}

static Status ask_status(const char *db, Error *err) {
  Rounds rounds;
  Arena arena = {0};
  TRY(rounds_read(&rounds, db, true, err));
  Status status = show_status(db, &rounds, &arena, err);
  rounds_clear(&rounds);
  arena_clear(&arena);
  return status;
}

// ---- dispatch

Status study_batch_ask(const StudyRequest *request, Error *err) {
  return request->question == ASK_STATUS ? ask_status(request->db, err) : cancel(request->db, err);
}
