// SPDX-License-Identifier: MIT
// Journal of an attempt at a bundle: a file to which it appends a line (a JSON object) at its
// start and end, and at the start and end of each run.
#include "batch/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/json_text.h"
#include "store/store.h"

static const char *const event_names[] = {
#define X(name, text) text,
    JOURNAL_EVENTS(X)
#undef X
};

const char *journal_path(Arena *arena, const char *folder, uint32_t bundle, uint32_t attempt) {
  return arena_printf(arena, "%s/%u.%u.jsonl", folder, bundle, attempt);
}

const char *journal_store_path(Arena *arena, const char *folder, uint32_t bundle,
                               uint32_t attempt) {
  return arena_printf(arena, "%s/%u.%u.db", folder, bundle, attempt);
}

// ---- writing

// Creating a file that must not exist is one of the few things that even old
// network file systems do atomically.
Status journal_create(Journal *journal, const char *folder, uint32_t bundle, Arena *arena,
                      Error *err) {
  enum { MOST_ATTEMPTS = 10000 };
  *journal = (Journal){.file = -1};
  while (journal->file < 0 && journal->attempt++ < MOST_ATTEMPTS) {
    journal->journal = arena_strdup(arena, journal_path(arena, folder, bundle, journal->attempt));
    journal->file =
        open(journal->journal, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (journal->file < 0 && errno != EEXIST) break;
  }
  if (journal->file < 0)
    return error_set(err, ERR_IO, "cannot write %s: %s", journal->journal, strerror(errno));
  journal->store = arena_strdup(arena, journal_store_path(arena, folder, bundle, journal->attempt));
  return OK;
}

static char *line_of(const JournalEntry *entry) {
  char time[STORE_TIME_BYTES];
  json_t *object =
      json_pack("{s:s, s:s}", "event", event_names[entry->event], "time", store_time(time));
  if (entry->run) json_object_set_new(object, "run", json_text(entry->run));
  if (entry->host) json_object_set_new(object, "host", json_text(entry->host));
  if (entry->text) json_object_set_new(object, "text", json_text(entry->text));
  if (entry->seconds > 0) json_object_set_new(object, "seconds", json_real(entry->seconds));
  char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(6));
  json_decref(object);
  return text;
}

// A single write, so that a line is there whole or, after a kill, as the last one.
Status journal_add(const Journal *journal, const JournalEntry *entry, Error *err) {
  char *line = line_of(entry);
  size_t length = strlen(line);
  line[length++] = '\n';
  ssize_t written = write(journal->file, line, length);
  bool is_written = written == (ssize_t)length && fdatasync(journal->file) == 0;
  free(line);
  if (is_written) return OK;
  return error_set(err, ERR_IO, "cannot write %s: %s", journal->journal,
                   written < 0 ? strerror(errno) : "the disk is full");
}

void journal_close(Journal *journal) {
  if (journal->file >= 0) close(journal->file);
  journal->file = -1;
}

// ---- reading

static bool find_event(const char *name, JournalEvent *event) {
  for (size_t i = 0; name && i < JOURNAL_EVENT_COUNT; i++) {
    if (strcmp(event_names[i], name) != 0) continue;
    *event = (JournalEvent)i;
    return true;
  }
  return false;
}

static void deliver_line(const char *line, size_t length, JournalFn on_entry, void *self) {
  json_t *object = json_loadb(line, length, 0, NULL);
  JournalEntry entry = {.run = json_string_value(json_object_get(object, "run")),
                        .text = json_string_value(json_object_get(object, "text")),
                        .host = json_string_value(json_object_get(object, "host")),
                        .seconds = json_number_value(json_object_get(object, "seconds"))};
  if (find_event(json_string_value(json_object_get(object, "event")), &entry.event))
    on_entry(self, &entry);
  json_decref(object);
}

Status journal_read(const char *path, JournalFn on_entry, void *self, bool *exists, Error *err) {
  char *line = NULL;
  size_t capacity = 0;
  ssize_t length;
  FILE *file = fopen(path, "re");
  *exists = file || errno != ENOENT;
  if (!file && *exists) return error_set(err, ERR_IO, "cannot open %s: %s", path, strerror(errno));
  if (!file) return OK;
  while ((length = getline(&line, &capacity, file)) > 0)
    if (line[length - 1] == '\n') deliver_line(line, (size_t)length, on_entry, self);
  free(line);
  fclose(file);
  return OK;
}
