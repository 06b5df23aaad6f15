// SPDX-License-Identifier: MIT
#include "base/embedded.h"

#include <string.h>

const EmbeddedFile *embedded_find(const char *name) {
  for (const EmbeddedFile *file = embedded_files; file->name; file++)
    if (strcmp(file->name, name) == 0) return file;
  return NULL;
}
