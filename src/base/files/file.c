// SPDX-License-Identifier: MIT
// Whole files, and paths.
#include "base/files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static Status open_regular(const char *path, int *file, Error *err) {
  // Without O_NONBLOCK, opening a pipe that nobody writes to waits for ever.
  *file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (*file < 0) return error_set(err, ERR_IO, "cannot open %s: %s", path, strerror(errno));
  struct stat about;
  const char *reason = NULL;
  if (fstat(*file, &about) != 0)
    reason = strerror(errno);
  else if (S_ISDIR(about.st_mode))
    reason = "is a directory";
  else if (!S_ISREG(about.st_mode))
    reason = "not a regular file";
  if (!reason) return OK;
  close(*file);
  return error_set(err, ERR_IO, "cannot read %s: %s", path, reason);
}

// Reads until `size_bytes` or the end of the file.
static Status read_some(int file, const char *path, char *bytes, size_t size_bytes, size_t *got,
                        Error *err) {
  *got = 0;
  while (*got < size_bytes) {
    ssize_t n = read(file, bytes + *got, size_bytes - *got);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return error_set(err, ERR_IO, "cannot read %s: %s", path, strerror(errno));
    if (n == 0) break;
    *got += (size_t)n;
  }
  return OK;
}

// The size that the system gives is not believed: files under /proc have 0.
static Status read_all(int file, const char *path, uint64_t limit_bytes, char **text,
                       size_t *length, Error *err) {
  size_t capacity = 1 << 16;
  *text = memory_resize(NULL, capacity);
  *length = 0;
  for (;;) {
    size_t got;
    TRY(read_some(file, path, *text + *length, capacity - 1 - *length, &got, err));
    *length += got;
    if (*length > limit_bytes)
      return error_set(err, ERR_IO, "cannot read %s: larger than %llu bytes", path,
                       (unsigned long long)limit_bytes);
    if (*length < capacity - 1) break;
    capacity *= 2;
    *text = memory_resize(*text, capacity);
  }
  (*text)[*length] = '\0';
  return OK;
}

static const char byte_order_mark[] = "\xef\xbb\xbf";

const char *text_behind_mark(const char *text) {
  size_t length = strlen(byte_order_mark);
  return strncmp(text, byte_order_mark, length) == 0 ? text + length : text;
}

// UTF-16 begins with U+FEFF in either order; no other text begins so.
static Status check_encoding(const char *path, const char *text, size_t length, Error *err) {
  if (length < 2 || (memcmp(text, "\xff\xfe", 2) != 0 && memcmp(text, "\xfe\xff", 2) != 0))
    return OK;
  return error_set(err, ERR_SYNTAX, "cannot read %s: UTF-16 text; save it as UTF-8", path);
}

static void drop_mark(char *text, size_t *length) {
  size_t mark = (size_t)(text_behind_mark(text) - text);
  *length -= mark;
  memmove(text, text + mark, *length + 1);
}

Status file_read(const char *path, uint64_t limit_bytes, char **text, size_t *length, Error *err) {
  int file;
  *text = NULL;
  TRY(open_regular(path, &file, err));
  Status status = read_all(file, path, limit_bytes, text, length, err);
  close(file);
  if (status == OK) status = check_encoding(path, *text, *length, err);
  if (status == OK) {
    drop_mark(*text, length);
    return OK;
  }
  memory_free(*text);
  *text = NULL;
  return status;
}

Status file_read_prefix(const char *path, void *bytes, size_t size_bytes, size_t *got, Error *err) {
  int file;
  TRY(open_regular(path, &file, err));
  Status status = read_some(file, path, bytes, size_bytes, got, err);
  close(file);
  return status;
}

Status file_check_writable(const char *path, Error *err) {
  struct stat about;
  bool exists = stat(path, &about) == 0;
  if (strcmp(path, "-") == 0) return OK;
  if (exists && S_ISDIR(about.st_mode))
    return error_set(err, ERR_IO, "cannot write %s: is a directory", path);
  char folder[PATH_MAX];
  const char *slash = strrchr(path, '/');
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
  if (access(exists ? path : folder, W_OK) == 0) return OK;
  return error_set(err, ERR_IO, "cannot write %s: %s", path, strerror(errno));
}

bool path_ends_with(const char *path, const char *ending) {
  size_t length = strlen(path), tail = strlen(ending);
  return length > tail && strcmp(path + length - tail, ending) == 0;
}

bool word_is_path(const char *word, const char *ending) {
  return strchr(word, '/') || path_ends_with(word, ending);
}

const char *path_beside(Arena *arena, const char *from, const char *relative) {
  const char *slash = strrchr(from, '/');
  if (relative[0] == '/' || !slash) return arena_strdup(arena, relative);
  return arena_printf(arena, "%.*s/%s", (int)(slash - from), from, relative);
}
