// SPDX-License-Identifier: MIT
// How far a study is that runs elsewhere.
#ifndef BATCH_TALLY_H
#define BATCH_TALLY_H

#include "batch/rounds.h"
#include "study/jobs.h"

typedef struct Tally {
  size_t count;  // of runs
  size_t done, running, waiting;
  size_t failed;  // by themselves, or killed too often: they are not run again
  size_t lost;    // killed, or left by an element that has ended: to be submitted again
  size_t elements_running, elements_waiting;
  const char *reason;   // why elements wait, or NULL
  double seconds_left;  // negative: not known
} Tally;

// jobs: with is_done and same_as set.
Tally tally_make(const Rounds *rounds, const Job *jobs, size_t count);

// Whether it was killed more often than its list allows.
bool tally_is_spent(const BatchRun *run, uint32_t retries);

// "120 of 200 runs done, 4 running, 70 waiting, 6 failed; 12 min left"
enum { TALLY_LINE_BYTES = 256 };
const char *tally_line(const Tally *tally, char out[TALLY_LINE_BYTES]);  // returns out

#endif
