// SPDX-License-Identifier: MIT
// Progress of a study that runs on other hosts: runs by state, elements, time left.
#include "batch/tally.h"

#include <string.h>

#include "study/jobs_progress.h"

bool tally_is_spent(const BatchRun *run, uint32_t retries) {
  return run->state == RUN_KILLED && run->tries > retries;
}

static void count_run(Tally *tally, const BatchRun *run) {
  switch (run->state) {
    case RUN_WAITING: tally->waiting++; break;
    case RUN_RUNNING: tally->running++; break;
    case RUN_FAILED: tally->failed++; break;
    case RUN_DONE:
      // In no store: it was damaged.
      if (run->has_store || !run->element->is_over)
        tally->done++;
      else
        tally->lost++;
      break;
    default:
      if (tally_is_spent(run, run->round->list.retries))
        tally->failed++;
      else
        tally->lost++;
  }
}

static void count_elements(Tally *tally, const Round *round) {
  for (uint32_t i = 0; i < round->list.bundle_count; i++) {
    const BatchElement *element = &round->elements[i];
    if (element->is_over) continue;
    bool is_pending = element->state ? strcmp(element->state, "PENDING") == 0
                                     : !element->attempts || element->has_ended;
    tally->elements_running += !is_pending;
    tally->elements_waiting += is_pending;
    if (is_pending && element->reason && strcmp(element->reason, "None") != 0)
      tally->reason = element->reason;
  }
}

// Expected time of the remaining runs, scaled by the ratio of actual to expected time of the
// completed ones, divided by the number of active processes.
static double seconds_left(const Rounds *rounds, const Tally *tally) {
  double expected = 0, measured = 0, left = 0, processes = 0;
  BatchRun *run, *next;
  HASH_ITER(hh, rounds->runs, run, next) {
    if (run->state == RUN_DONE) expected += run->listed->seconds, measured += run->seconds;
    if (run->state == RUN_WAITING || run->state == RUN_RUNNING || run->state == RUN_LEFT)
      left += run->listed->seconds;
  }
  if (rounds->count) processes = rounds->items[rounds->count - 1].list.processes;
  if (tally->elements_running == 0 || processes < 1) return -1;
  double factor = expected > 0 && measured > 0 ? measured / expected : 1;
  return left * factor / ((double)tally->elements_running * processes);
}

Tally tally_make(const Rounds *rounds, const Job *jobs, size_t count) {
  Tally tally = {0};
  for (size_t i = 0; i < count; i++) {
    if (jobs[i].same_as) continue;
    const BatchRun *run = rounds_find(rounds, jobs[i].key);
    tally.count++;
    if (jobs[i].is_done)
      tally.done++;
    else if (run)
      count_run(&tally, run);
    else
      tally.lost++;
  }
  for (uint32_t i = 0; i < rounds->count; i++) count_elements(&tally, &rounds->items[i]);
  tally.seconds_left = seconds_left(rounds, &tally);
  return tally;
}

const char *tally_line(const Tally *tally, char out[TALLY_LINE_BYTES]) {
  char left[DURATION_BYTES];
  int used = snprintf(out, TALLY_LINE_BYTES, "%zu of %zu runs done, %zu running, %zu waiting",
                      tally->done, tally->count, tally->running, tally->waiting);
  if (tally->lost)
    used +=
        snprintf(out + used, TALLY_LINE_BYTES - (size_t)used, ", %zu to be submitted", tally->lost);
  if (tally->failed)
    used += snprintf(out + used, TALLY_LINE_BYTES - (size_t)used, ", %zu failed", tally->failed);
  if (tally->seconds_left >= 0)
    snprintf(out + used, TALLY_LINE_BYTES - (size_t)used, "; about %s left",
             jobs_duration(left, tally->seconds_left));
  return out;
}
