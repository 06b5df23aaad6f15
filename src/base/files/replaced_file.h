// SPDX-License-Identifier: MIT
// Atomic replacement of a file: written under a temporary name and renamed when
// complete, so that no partial file is ever visible or left by a failure. "-" is
// standard output; that, devices and pipes are written directly.
#ifndef BASE_FILES_REPLACED_FILE_H
#define BASE_FILES_REPLACED_FILE_H

#include <limits.h>
#include <stdio.h>

#include "base/error.h"

typedef struct ReplacedFile {
  FILE *file;  // to write to
  const char *path;
  char place[PATH_MAX];       // where it goes: links are followed
  char aside[PATH_MAX + 32];  // empty: it is written directly
} ReplacedFile;

// path must stay until the end.
Status replaced_file_begin(ReplacedFile *it, const char *path, Error *err);
// status: of the writing. What failed is removed.
Status replaced_file_end(ReplacedFile *it, Status status, Error *err);

#endif
