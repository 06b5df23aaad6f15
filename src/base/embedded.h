// SPDX-License-Identifier: MIT
// Files that are part of the program, so that it runs from anywhere: the GPU
// configurations, schemes, what is said of workloads, and the PTX of built-in
// functions.
//
// The build writes the table (tools/embed.cmake). Names are paths from the
// root of the repository, such as "configs/tiny.cfg".
#ifndef BASE_EMBEDDED_H
#define BASE_EMBEDDED_H

#include <stddef.h>

typedef struct EmbeddedFile {
  const char *name;
  const char *text;  // a NUL stands behind its last byte
  size_t size_bytes;
} EmbeddedFile;

extern const EmbeddedFile embedded_files[];  // ends with a NULL name

enum { EMBEDDED_NAME_BYTES = 64 };

// The file at this index of those in or below a folder ("configs/") with an ending
// (".cfg"); name gets its file name without the ending. NULL behind the last.
const EmbeddedFile *embedded_at(const char *folder, const char *ending, size_t index,
                                char name[EMBEDDED_NAME_BYTES]);

// NULL if there is no file of that name.
const EmbeddedFile *embedded_find(const char *name);

#endif
