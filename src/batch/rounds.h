// SPDX-License-Identifier: MIT
// State of the submitted runs, from job lists, journals and Slurm's queue.
//
// Next to a store X.db, the folder X.db.jobs has one folder per list, called a round: 1,
// 2, ... A round exists until all results of its elements are in the store. No state is
// kept in memory between two reads; all readers see the same.
#ifndef BATCH_ROUNDS_H
#define BATCH_ROUNDS_H

#include <stdio.h>
#include <uthash.h>

#include "batch/job_list.h"

typedef enum RunState {
  RUN_WAITING,  // its element has not begun it, and may
  RUN_RUNNING,
  RUN_DONE,
  RUN_FAILED,  // by itself: it would fail again
  RUN_KILLED,  // it was begun, and its process or its job was killed
  RUN_LEFT,    // its element has ended without starting it
  RUN_STATE_COUNT
} RunState;

typedef struct BatchElement {
  uint32_t bundle;
  uint32_t attempts;           // begun so far
  bool has_ended;              // the last attempt came to its end
  bool is_here;                // the last attempt is a process of this host that is there
  bool was_here;               // it is one that is gone
  bool is_queued;              // Slurm has it, running or pending
  bool is_over;                // nothing more is to be expected of it
  const char *state, *reason;  // as Slurm calls them, or NULL
  const char *refusal;         // why it ran nothing, or NULL
} BatchElement;

typedef struct Round {
  uint32_t number;
  const char *folder;
  JobList list;
  BatchElement *elements;  // by bundle - 1
  bool is_cancelled;       // and it has not been resumed since
  bool was_cancelled;      // at some time
  bool is_abandoned;       // of commands: none is running, and none will be
} Round;

// The last word on a run, if it is in several lists.
typedef struct BatchRun {
  const ListedRun *listed;
  Round *round;
  BatchElement *element;
  RunState state;
  uint32_t attempt;  // that had it last
  uint32_t tries;    // begun and killed, in this list and before
  double seconds;    // if it has ended
  const char *failure;
  bool has_store;  // of the attempt
  UT_hash_handle hh;
} BatchRun;

typedef struct Rounds {
  Arena arena;
  const char *folder;
  Round *items;
  uint32_t count;
  BatchRun *runs;  // a hash table by key
} Rounds;

const char *rounds_folder(Arena *arena, const char *db);

// Reads lists, queries Slurm for the elements of its lists, then reads journals and
// determines the states of all runs. No folder: no rounds. Without the query (want_queue:
// false) an element of a Slurm job counts as ended only if its journal says so.
Status rounds_read(Rounds *rounds, const char *db, bool want_queue, Error *err);
void rounds_clear(Rounds *rounds);

BatchRun *rounds_find(const Rounds *rounds, const char *key);
// Whether some element may still do something.
bool rounds_are_live(const Rounds *rounds);

// Brings the stores of attempts that are over into the study's, and removes
// them; one that is damaged is reported, renamed to *.damaged and counts as lost.
Status rounds_merge(Rounds *rounds, const char *db, FILE *messages, Error *err);
// Removes the rounds whose elements have all ended and whose runs are done or are in a later
// round; damaged stores are kept.
void rounds_remove_over(Rounds *rounds);

// Marks all rounds as cancelled, and their elements in Slurm. *count: how many were queued.
Status rounds_cancel(Rounds *rounds, uint32_t *count, Error *err);
// Revokes a cancellation, so that rounds continue or new ones are submitted.
void rounds_resume(Rounds *rounds);
// Records that no printed command is running or will run, except for processes of this host.
Status rounds_abandon(Rounds *rounds, Error *err);

// The name of the job array that has a bundle, and the first bundle of that array.
const char *round_job_name(Arena *arena, const JobList *list, uint32_t first_bundle);

// ---- one at a time

// Prevents two processes from submitting the same study concurrently. The lock is a file
// created exclusively; it names its host and process, so that stale locks are recognised.
Status rounds_lock(const char *folder, Error *err);
void rounds_unlock(const char *folder);

#endif
