// SPDX-License-Identifier: MIT
#include "cli/shipped_study.h"

const char *shipped_study(size_t index, char name[STUDY_NAME_BYTES]) {
  const EmbeddedFile *file = embedded_at("studies/", ".ini", index, name);
  return file ? file->text : NULL;
}
