// SPDX-License-Identifier: MIT
// The user's files: the sources that were given and the headers they include.
// Headers of the system and of the compiler are none of them.
#ifndef CLUSTERING_SOURCES_H
#define CLUSTERING_SOURCES_H

#include "base/error.h"
#include "clustering/rewrite/edits.h"

enum { NO_FILE = -1 };

typedef struct SourceFile {
  const char *path;       // as the compiler names it
  const char *real_path;  // without links, dots and doubled slashes
  const char *text;       // NUL-terminated
  size_t length;
  bool is_given;  // on the command line; else a header
  Edits edits;
} SourceFile;

typedef struct Sources {
  Arena *arena;
  SourceFile *files;
  int count, capacity;
} Sources;

void sources_clear(Sources *sources);

// The number of the file, which is read if it is new.
Status sources_add(Sources *sources, const char *path, int *file, Error *err);
// NO_FILE if it was not added.
int sources_find(const Sources *sources, const char *path);

// A copy of a file's text, with the byte-order mark that file_read drops: clang's offsets
// count it.
const char *sources_as_in_file(Arena *arena, const char *path, const char *text, size_t *length);

// Lines count from 1.
uint32_t source_line(const SourceFile *file, uint32_t offset);
// Where the line with this byte begins, and where its last byte's successor is.
uint32_t source_line_begin(const SourceFile *file, uint32_t offset);
uint32_t source_line_end(const SourceFile *file, uint32_t offset);

#endif
