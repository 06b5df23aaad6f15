// SPDX-License-Identifier: MIT
// Atomic replacement of a file: written under a temporary name and renamed when complete, so that
// no partial file is ever visible or left by a failure.
#define _GNU_SOURCE  // realpath
#include "base/files/replaced_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static Status cannot_write(const ReplacedFile *it, Error *err) {
  return error_set(err, ERR_IO, "cannot write %s: %s", it->path,
                   errno ? strerror(errno) : "disk full or pipe closed");
}

static bool is_direct(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

// A file may be writable in a read-only folder; then no temporary file can be created there.
static FILE *open_aside(ReplacedFile *it) {
  if (!realpath(it->path, it->place)) snprintf(it->place, sizeof it->place, "%s", it->path);
  snprintf(it->aside, sizeof it->aside, "%s.%ld.part", it->place, (long)getpid());
  int file = open(it->aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file >= 0) return fdopen(file, "w");
  it->aside[0] = '\0';
  return NULL;
}

Status replaced_file_begin(ReplacedFile *it, const char *path, Error *err) {
  *it = (ReplacedFile){.path = path};
  if (strcmp(path, "-") == 0)
    it->file = stdout;
  else if (!is_direct(path))
    it->file = open_aside(it);
  if (!it->file) it->file = fopen(path, "we");
  return it->file ? OK : cannot_write(it, err);
}

Status replaced_file_end(ReplacedFile *it, Status status, Error *err) {
  // errno still says why if writing failed before.
  bool failed = ferror(it->file) != 0;
  if (!failed) errno = 0;
  failed |= (it->file == stdout ? fflush(it->file) : fclose(it->file)) != 0;
  if (status == OK && failed) status = cannot_write(it, err);
  if (!it->aside[0]) return status;
  if (status == OK && rename(it->aside, it->place) != 0) status = cannot_write(it, err);
  if (status != OK) unlink(it->aside);
  return status;
}
