// SPDX-License-Identifier: MIT
// Journal of an attempt at a bundle: a file to which it appends a line (a JSON object) at
// its start and end, and at the start and end of each run.
//
// A journal has one writer and needs no lock, so it can be read during the attempt, on any
// file system; the store of the attempt is not read before the attempt has ended. A
// truncated last line is ignored. The files of attempt A at bundle B are B.A.jsonl and
// B.A.db, next to the job list.
#ifndef BATCH_JOURNAL_H
#define BATCH_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

// name in the file
#define JOURNAL_EVENTS(X)                                                           \
  X(START, "start")     /* text: the process, host: where it is */                  \
  X(BEGIN, "begin")     /* a run */                                                 \
  X(DONE, "done")       /* a run is in the attempt's store */                       \
  X(FAILED, "failed")   /* a run ended by itself without a complete result: text */ \
  X(KILLED, "killed")   /* a run was ended from outside: text */                    \
  X(REFUSED, "refused") /* nothing was run: text says why */                        \
  X(END, "end")         /* of the attempt; text: what ended it early, or not there */

typedef enum JournalEvent {
#define X(name, text) JOURNAL_##name,
  JOURNAL_EVENTS(X)
#undef X
      JOURNAL_EVENT_COUNT
} JournalEvent;

typedef struct JournalEntry {
  JournalEvent event;
  const char *run;   // key, or NULL
  const char *text;  // or NULL
  const char *host;  // START only
  double seconds;    // duration of a completed run
} JournalEntry;

typedef struct Journal {
  int file;
  uint32_t attempt;
  char *journal, *store;  // paths
} Journal;

// Starts an attempt with the first free number. folder: of the job list.
Status journal_create(Journal *journal, const char *folder, uint32_t bundle, Arena *arena,
                      Error *err);
// The line has reached the disk when this returns.
Status journal_add(const Journal *journal, const JournalEntry *entry, Error *err);
void journal_close(Journal *journal);

const char *journal_path(Arena *arena, const char *folder, uint32_t bundle, uint32_t attempt);
const char *journal_store_path(Arena *arena, const char *folder, uint32_t bundle, uint32_t attempt);

// Calls on all entries in order. *exists is false if there is no such attempt. Malformed
// lines are skipped.
typedef void (*JournalFn)(void *self, const JournalEntry *entry);
Status journal_read(const char *path, JournalFn on_entry, void *self, bool *exists, Error *err);

#endif
