// SPDX-License-Identifier: MIT
// Operations on the files of rounds: lock, merge, removal.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batch/journal.h"
#include "batch/rounds.h"
#include "store/merge.h"
#include "store/process.h"

// ---- the lock

static const char *lock_path(Arena *arena, const char *folder) {
  return arena_printf(arena, "%s/lock", folder);
}

static Status write_lock(int file, const char *path, Error *err) {
  char host[HOST_BYTES], process[PROCESS_TEXT_BYTES], text[HOST_BYTES + PROCESS_TEXT_BYTES];
  int length = snprintf(text, sizeof text, "%s\n%s\n", host_name(host), process_text(process));
  bool is_written = write(file, text, (size_t)length) == length;
  is_written &= close(file) == 0;
  if (is_written) return OK;
  unlink(path);
  return error_set(err, ERR_IO, "cannot write %s: the disk is full", path);
}

// Whether the holder of the lock is known to be gone. A lock without text is
// being written, or was left by a full disk.
static bool is_stale(const char *path, char host[HOST_BYTES]) {
  char own[HOST_BYTES], process[PROCESS_TEXT_BYTES] = "";
  FILE *file = fopen(path, "re");
  *host = '\0';
  if (!file) return false;
  bool is_read = fgets(host, HOST_BYTES, file) && fgets(process, sizeof process, file);
  fclose(file);
  host[strcspn(host, "\n")] = '\0';
  process[strcspn(process, "\n")] = '\0';
  return is_read && strcmp(host, host_name(own)) == 0 && process_is_gone(process);
}

static Status lock(const char *folder, Arena *arena, Error *err) {
  char host[HOST_BYTES];
  const char *path = lock_path(arena, folder);
  if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    return error_set(err, ERR_IO, "cannot create the folder %s: %s", folder, strerror(errno));
  for (int i = 0; i < 2; i++) {
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) return write_lock(file, path, err);
    if (errno != EEXIST)
      return error_set(err, ERR_IO, "cannot write %s: %s", path, strerror(errno));
    if (!is_stale(path, host)) break;
    unlink(path);
  }
  return error_set(err, ERR_USAGE,
                   "another heddle%s%s is submitting this study or waiting for it; --status shows "
                   "its progress (if that process no longer exists, remove %s)",
                   *host ? " on " : "", host, path);
}

Status rounds_lock(const char *folder, Error *err) {
  Arena arena = {0};
  Status status = lock(folder, &arena, err);
  arena_clear(&arena);
  return status;
}

void rounds_unlock(const char *folder) {
  Arena arena = {0};
  unlink(lock_path(&arena, folder));
  rmdir(folder);  // if nothing else is in it
  arena_clear(&arena);
}

// ---- merging

// Of earlier attempts too: of one that Slurm has started again, the element's
// end is waited for, since nothing else says that the first is really gone.
static Status merge_attempt(Store *store, const Round *round, uint32_t bundle, uint32_t attempt,
                            Arena *arena, FILE *messages, Error *err) {
  const char *path = journal_store_path(arena, round->folder, bundle, attempt);
  Error why;
  if (access(path, F_OK) != 0) return OK;
  Status status =
      store_merge(store, path, &(MergeOptions){.is_over = true, .may_be_empty = true}, NULL, &why);
  if (status == ERR_SYNTAX) {
    if (messages) fprintf(messages, "heddle: %s; its runs count as lost\n", why.text);
    rename(path, arena_printf(arena, "%s.damaged", path));
    return OK;
  }
  if (status != OK) return error_set(err, status, "%s", why.text);
  unlink(path);
  unlink(arena_printf(arena, "%s-journal", path));
  return OK;
}

static Status merge_element(Store *store, const Round *round, const BatchElement *element,
                            FILE *messages, Error *err) {
  Arena arena = {0};
  Status status = OK;
  for (uint32_t attempt = 1; attempt <= element->attempts && status == OK; attempt++)
    status = merge_attempt(store, round, element->bundle, attempt, &arena, messages, err);
  arena_clear(&arena);
  return status;
}

// A run may be in the store though its journal does not say so: its element was
// killed in between, or it was run elsewhere.
static Status note_done(Rounds *rounds, Store *store, Error *err) {
  BatchRun *run, *next;
  int64_t found;
  HASH_ITER(hh, rounds->runs, run, next) {
    TRY(store_find_job(store, run->listed->key, &found, err));
    if (found) run->state = RUN_DONE;
  }
  return OK;
}

Status rounds_merge(Rounds *rounds, const char *db, FILE *messages, Error *err) {
  Store *store;
  if (!rounds->count) return OK;
  TRY(store_open(&store, db, STORE_WRITE, err));
  Status status = OK;
  for (uint32_t i = 0; i < rounds->count; i++)
    for (uint32_t k = 0; k < rounds->items[i].list.bundle_count && status == OK; k++)
      if (rounds->items[i].elements[k].is_over)
        status =
            merge_element(store, &rounds->items[i], &rounds->items[i].elements[k], messages, err);
  if (status == OK) status = note_done(rounds, store, err);
  store_close(store);
  return status;
}

// ---- removing

static bool is_all_over(const Round *round) {
  for (uint32_t i = 0; i < round->list.bundle_count; i++)
    if (!round->elements[i].is_over) return false;
  return true;
}

// Whether a store is there that nobody has merged: on a network file system, a
// file may be seen late.
static bool has_store(const char *folder) {
  DIR *entries = opendir(folder);
  bool is_found = false;
  for (struct dirent *entry; entries && !is_found && (entry = readdir(entries));) {
    size_t length = strlen(entry->d_name);
    is_found = length > 3 && strcmp(entry->d_name + length - 3, ".db") == 0;
  }
  if (entries) closedir(entries);
  return is_found;
}

// Everything but damaged stores.
static void remove_files(const char *folder) {
  Arena arena = {0};
  DIR *entries = opendir(folder);
  for (struct dirent *entry; entries && (entry = readdir(entries));) {
    if (entry->d_name[0] == '.' || strstr(entry->d_name, ".damaged")) continue;
    unlink(arena_printf(&arena, "%s/%s", folder, entry->d_name));
  }
  if (entries) closedir(entries);
  rmdir(folder);
  arena_clear(&arena);
}

// The last word on a run that is not done has to stay: it counts tries, and says
// what failed.
static bool is_needed(const Rounds *rounds, const Round *round) {
  BatchRun *run, *next;
  HASH_ITER(hh, rounds->runs, run, next) {
    if (run->round == round && (run->state != RUN_DONE || !run->element->is_over)) return true;
  }
  return false;
}

void rounds_remove_over(Rounds *rounds) {
  for (uint32_t i = 0; i < rounds->count; i++) {
    Round *round = &rounds->items[i];
    if (is_all_over(round) && !is_needed(rounds, round) && !has_store(round->folder))
      remove_files(round->folder);
  }
}
