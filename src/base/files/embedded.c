// SPDX-License-Identifier: MIT
// Files embedded in the program, so that it does not depend on its location: GPU configurations,
// schemes, descriptions of workloads, and the PTX of built-in functions.
#include "base/files/embedded.h"

#include <assert.h>
#include <string.h>

#include "base/files/file.h"

const EmbeddedFile *embedded_find(const char *name) {
  for (const EmbeddedFile *file = embedded_files; file->name; file++)
    if (strcmp(file->name, name) == 0) return file;
  return NULL;
}

const EmbeddedFile *embedded_at(const char *folder, const char *ending, size_t index,
                                char name[EMBEDDED_NAME_BYTES]) {
  size_t before = strlen(folder);
  for (const EmbeddedFile *file = embedded_files; file->name; file++) {
    if (strncmp(file->name, folder, before) != 0 || !path_ends_with(file->name, ending)) continue;
    if (index-- > 0) continue;
    const char *stem = strrchr(file->name, '/') + 1;
    size_t length = strlen(stem) - strlen(ending);
    assert(length < EMBEDDED_NAME_BYTES);
    memcpy(name, stem, length);
    name[length] = '\0';
    return file;
  }
  return NULL;
}
