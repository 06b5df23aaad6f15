// SPDX-License-Identifier: MIT
#define _GNU_SOURCE  // O_TMPFILE
#include "base/json_records.h"

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

struct JsonRecords {
  int texts, index;
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

static Status open_named(int *file, const char *path, const char *ending, int flags, Error *err) {
  char name[PATH_MAX];
  int length = snprintf(name, sizeof name, "%s%s", path, ending);
  if (length >= PATH_MAX) return error_set(err, ERR_IO, "%.200s...: path too long", path);
  *file = open(name, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (*file < 0) return error_set(err, ERR_IO, "cannot open %s: %s", name, strerror(errno));
  return OK;
}

static Status open_both(JsonRecords *records, const char *path, int flags, Error *err) {
  if (!path) {
    TRY(open_temporary(&records->texts, err));
    return open_temporary(&records->index, err);
  }
  TRY(open_named(&records->texts, path, "", flags, err));
  return open_named(&records->index, path, ".index", flags, err);
}

static Status make(JsonRecords **out, const char *path, int flags, Error *err) {
  JsonRecords *records = memory_alloc(sizeof *records);
  records->texts = records->index = -1;
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
  if (records->texts >= 0) close(records->texts);
  if (records->index >= 0) close(records->index);
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

static bool write_at(JsonRecords *records, int file, const void *bytes, size_t length,
                     uint64_t offset) {
  for (size_t done = 0; done < length;) {
    ssize_t got = pwrite(file, (const char *)bytes + done, length - done, (off_t)(offset + done));
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
  if (write_at(records, records->texts, records->buffer, records->length, place.offset) &&
      write_at(records, records->index, &place, sizeof place, number * sizeof place))
    records->end_offset += place.length;
}

Status json_records_check(const JsonRecords *records, Error *err) {
  if (records->failure.status == OK) return OK;
  return error_set(err, records->failure.status, "%s", records->failure.text);
}

// ---- reading

uint64_t json_records_end(const JsonRecords *records) {
  struct stat about;
  return fstat(records->index, &about) == 0 ? (uint64_t)about.st_size / sizeof(Place) : 0;
}

static Status read_at(int file, void *bytes, size_t length, uint64_t offset, Error *err) {
  for (size_t done = 0; done < length;) {
    ssize_t got = pread(file, (char *)bytes + done, length - done, (off_t)(offset + done));
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
  TRY(read_at(records->index, &place, sizeof place, number * sizeof place, err));
  if (!place.length) return OK;
  reserve(records, place.length);
  TRY(read_at(records->texts, records->buffer, place.length, place.offset, err));
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
