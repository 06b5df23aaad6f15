// SPDX-License-Identifier: MIT
// What an attempt at a bundle has done so far: a file to which it appends a line
// (a JSON object) when it starts, when a run begins and ends, and at its end.
//
// A journal has one writer and needs no lock, so that anybody can read it while
// the attempt goes on, on whatever file system; its store is not touched before
// the attempt has ended. A last line that a kill has cut short counts as not
// written. The files of attempt A at bundle B are B.A.jsonl and B.A.db, beside
// the job list.
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
  double seconds;    // of a run that has ended
} JournalEntry;

typedef struct Journal {
  int file;
  uint32_t attempt;
  char *journal, *store;  // paths
} Journal;

// Begins an attempt, the first whose number is not taken. folder: of the job list.
Status journal_create(Journal *journal, const char *folder, uint32_t bundle, Arena *arena,
                      Error *err);
// The line has reached the disk when this returns.
Status journal_add(const Journal *journal, const JournalEntry *entry, Error *err);
void journal_close(Journal *journal);

const char *journal_path(Arena *arena, const char *folder, uint32_t bundle, uint32_t attempt);
const char *journal_store_path(Arena *arena, const char *folder, uint32_t bundle, uint32_t attempt);

// All entries in order. *exists is false if there is no such attempt. Lines that
// make no sense are skipped.
typedef void (*JournalFn)(void *self, const JournalEntry *entry);
Status journal_read(const char *path, JournalFn on_entry, void *self, bool *exists, Error *err);

#endif
