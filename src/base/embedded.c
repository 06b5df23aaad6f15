// SPDX-License-Identifier: MIT
#include "base/embedded.h"

#include <assert.h>
#include <string.h>

#include "base/file.h"

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
    const char *rest = file->name + before, *slash = strchr(rest, '/');
    size_t length = slash ? (size_t)(slash - rest) : strlen(rest) - strlen(ending);
    assert(length < EMBEDDED_NAME_BYTES);
    memcpy(name, rest, length);
    name[length] = '\0';
    return file;
  }
  return NULL;
}
