// SPDX-License-Identifier: MIT
// JSON objects by number, in files instead of memory: a program may launch a million kernels.
#define _GNU_SOURCE  // O_TMPFILE
#include "base/text/json_records.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

// Location of an object. Length 0: no object of that number.
typedef struct Place {
  uint64_t offset, length;
} Place;

// A file and its identity: a program may close any descriptor, and its number may then
// be that of another file.
typedef struct RecordFile {
  int descriptor;  // -1: none
  dev_t device;
  ino_t inode;
  char *path;  // NULL: it has no name
} RecordFile;

struct JsonRecords {
  RecordFile texts, index;
  uint64_t end_offset;  // of the texts
  char *buffer;         // the object that is written or read
  size_t length, capacity;
  Error failure;
};

// ---- files

// O_TMPFILE is not there on every file system.
static int open_nameless(const char *folder) {
  char name[PATH_MAX];
  int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  snprintf(name, sizeof name, "%s/heddle-XXXXXX", folder);
  file = mkostemp(name, O_CLOEXEC);
  if (file >= 0) unlink(name);
  return file;
}

// Not /tmp, which is memory on many systems.
static Status open_temporary(int *file, Error *err) {
  const char *given = getenv("TMPDIR");
  if (given && *given && (*file = open_nameless(given)) >= 0) return OK;
  if ((*file = open_nameless("/var/tmp")) >= 0 || (*file = open_nameless("/tmp")) >= 0) return OK;
  return error_set(err, ERR_IO, "cannot create a temporary file in /var/tmp or /tmp: %s",
                   strerror(errno));
}

static Status open_named(int *file, const char *name, int flags, Error *err) {
  *file = open(name, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (*file < 0) return error_set(err, ERR_IO, "cannot open %s: %s", name, strerror(errno));
  return OK;
}

// A program that has closed standard output and prints must not print into it.
static void leave_standard_files(int *file) {
  if (*file > STDERR_FILENO) return;
  int moved = fcntl(*file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (moved < 0) return;
  close(*file);
  *file = moved;
}

static Status open_file(RecordFile *file, const char *path, const char *ending, int flags,
                        Error *err) {
  struct stat about;
  if (path) {
    size_t bytes = strlen(path) + strlen(ending) + 1;
    file->path = memory_alloc(bytes);
    snprintf(file->path, bytes, "%s%s", path, ending);
    TRY(open_named(&file->descriptor, file->path, flags, err));
  } else {
    TRY(open_temporary(&file->descriptor, err));
  }
  leave_standard_files(&file->descriptor);
  if (fstat(file->descriptor, &about) != 0)
    return error_set(err, ERR_IO, "cannot examine a file of launches: %s", strerror(errno));
  file->device = about.st_dev;
  file->inode = about.st_ino;
  return OK;
}

static Status open_both(JsonRecords *records, const char *path, int flags, Error *err) {
  TRY(open_file(&records->texts, path, "", flags, err));
  return open_file(&records->index, path, ".index", flags, err);
}

// ---- descriptors

static bool is_ours(const RecordFile *file, int descriptor) {
  struct stat about;
  return fstat(descriptor, &about) == 0 && about.st_dev == file->device &&
         about.st_ino == file->inode;
}

// Opens the file again if the program has closed its descriptor. A descriptor that is now
// another file's is not touched.
static Status check_file(RecordFile *file, Error *err) {
  if (is_ours(file, file->descriptor)) return OK;
  file->descriptor = -1;
  if (!file->path)
    return error_set(err, ERR_IO,
                     "the temporary file of launches was closed by the program; launches are lost "
                     "(heddle run -- PROGRAM records them all the same)");
  TRY(open_named(&file->descriptor, file->path, O_RDWR, err));
  leave_standard_files(&file->descriptor);
  if (is_ours(file, file->descriptor)) return OK;
  close(file->descriptor);
  file->descriptor = -1;
  return error_set(err, ERR_IO, "%s was closed by the program and replaced; launches are lost",
                   file->path);
}

static void close_file(RecordFile *file) {
  if (file->descriptor >= 0 && is_ours(file, file->descriptor)) close(file->descriptor);
  memory_free(file->path);
}

static Status make(JsonRecords **out, const char *path, int flags, Error *err) {
  JsonRecords *records = memory_alloc(sizeof *records);
  records->texts.descriptor = records->index.descriptor = -1;
  Status status = open_both(records, path, flags, err);
  *out = records;
  if (status == OK) return OK;
  json_records_close(records);
  *out = NULL;
  return status;
}

Status json_records_create(JsonRecords **records, const char *path, Error *err) {
  return make(records, path, O_RDWR | O_CREAT | O_EXCL, err);
}

Status json_records_open(JsonRecords **records, const char *path, Error *err) {
  return make(records, path, O_RDONLY, err);
}

void json_records_close(JsonRecords *records) {
  if (!records) return;
  close_file(&records->texts);
  close_file(&records->index);
  memory_free(records->buffer);
  memory_free(records);
}

// ---- writing

static void reserve(JsonRecords *records, size_t bytes) {
  if (records->capacity >= bytes) return;
  records->capacity = bytes * 2;
  records->buffer = memory_resize(records->buffer, records->capacity);
}

static int add_text(const char *text, size_t length, void *self) {
  JsonRecords *records = self;
  reserve(records, records->length + length);
  memcpy(records->buffer + records->length, text, length);
  records->length += length;
  return 0;
}

static bool write_at(JsonRecords *records, RecordFile *to, const void *bytes, size_t length,
                     uint64_t offset) {
  if (check_file(to, &records->failure) != OK) return false;
  for (size_t done = 0; done < length;) {
    ssize_t got =
        pwrite(to->descriptor, (const char *)bytes + done, length - done, (off_t)(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      error_set(&records->failure, ERR_IO, "cannot write launches to a temporary file: %s%s",
                strerror(errno), errno == ENOSPC ? "; set TMPDIR to use another folder" : "");
      return false;
    }
    done += (size_t)got;
  }
  return true;
}

// The location is written last, so that readers find complete objects only.
void json_records_put(JsonRecords *records, uint64_t number, const json_t *object) {
  if (records->failure.status != OK) return;
  records->length = 0;
  json_dump_callback(object, add_text, records, JSON_INDENT(2) | JSON_ENSURE_ASCII);
  Place place = {records->end_offset, records->length};
  if (write_at(records, &records->texts, records->buffer, records->length, place.offset) &&
      write_at(records, &records->index, &place, sizeof place, number * sizeof place))
    records->end_offset += place.length;
}

Status json_records_check(const JsonRecords *records, Error *err) {
  if (records->failure.status == OK) return OK;
  return error_set(err, records->failure.status, "%s", records->failure.text);
}

// ---- reading

uint64_t json_records_end(JsonRecords *records) {
  struct stat about;
  if (check_file(&records->index, &records->failure) != OK) return 0;
  return fstat(records->index.descriptor, &about) == 0 ? (uint64_t)about.st_size / sizeof(Place)
                                                       : 0;
}

static Status read_at(RecordFile *from, void *bytes, size_t length, uint64_t offset, Error *err) {
  TRY(check_file(from, err));
  for (size_t done = 0; done < length;) {
    ssize_t got =
        pread(from->descriptor, (char *)bytes + done, length - done, (off_t)(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return error_set(err, ERR_IO, "cannot read launch records: %s", strerror(errno));
    if (got == 0) return error_set(err, ERR_IO, "temporary file of launch records is truncated");
    done += (size_t)got;
  }
  return OK;
}

Status json_records_text(JsonRecords *records, uint64_t number, const char **text, size_t *length,
                         Error *err) {
  Place place;
  *text = NULL;
  *length = 0;
  if (number >= json_records_end(records)) return OK;
  TRY(read_at(&records->index, &place, sizeof place, number * sizeof place, err));
  if (!place.length) return OK;
  reserve(records, place.length);
  TRY(read_at(&records->texts, records->buffer, place.length, place.offset, err));
  *text = records->buffer;
  *length = place.length;
  return OK;
}

Status json_records_get(JsonRecords *records, uint64_t number, json_t **object, Error *err) {
  const char *text;
  size_t length;
  json_error_t json_error;
  *object = NULL;
  TRY(json_records_text(records, number, &text, &length, err));
  if (!text) return OK;
  *object = json_loadb(text, length, JSON_ALLOW_NUL, &json_error);
  if (*object) return OK;
  return error_set(err, ERR_SYNTAX, "launch %llu: %s", (unsigned long long)number, json_error.text);
}
