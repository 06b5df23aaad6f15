// SPDX-License-Identifier: MIT
#include "cli/shipped_study.h"

#include <stdio.h>
#include <string.h>

#include "base/embedded.h"

const char *shipped_study(size_t index, char name[STUDY_NAME_BYTES]) {
  static const char folder[] = "studies/";
  for (const EmbeddedFile *file = embedded_files; file->name; file++) {
    if (strncmp(file->name, folder, sizeof folder - 1) != 0 || index-- > 0) continue;
    snprintf(name, STUDY_NAME_BYTES, "%s", file->name + sizeof folder - 1);
    char *dot = strrchr(name, '.');
    if (dot) *dot = '\0';
    return file->text;
  }
  return NULL;
}
