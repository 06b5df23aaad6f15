// SPDX-License-Identifier: MIT
// Files embedded in the program, so that it does not depend on its location: GPU
// configurations, schemes, descriptions of workloads, and the PTX of built-in
// functions.
//
// The build writes the table (tools/embed.cmake). Names are paths from the
// root of the repository, such as "configs/tiny.cfg".
#ifndef BASE_FILES_EMBEDDED_H
#define BASE_FILES_EMBEDDED_H

#include <stddef.h>

typedef struct EmbeddedFile {
  const char *name;
  const char *text;  // NUL-terminated
  size_t size_bytes;
} EmbeddedFile;

extern const EmbeddedFile embedded_files[];  // ends with a NULL name

enum { EMBEDDED_NAME_BYTES = 64 };

// The file at an index among those in or below a folder ("configs/") with a suffix
// (".cfg"); name receives its file name without the suffix. NULL past the last.
const EmbeddedFile *embedded_at(const char *folder, const char *ending, size_t index,
                                char name[EMBEDDED_NAME_BYTES]);

// Returns NULL if there is no such file.
const EmbeddedFile *embedded_find(const char *name);

#endif
