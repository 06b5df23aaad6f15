// SPDX-License-Identifier: MIT
// Studies that ship with heddle (studies/), by name.
#ifndef CLI_SHIPPED_STUDY_H
#define CLI_SHIPPED_STUDY_H

#include "base/files/embedded.h"

enum { STUDY_NAME_BYTES = EMBEDDED_NAME_BYTES };

// Text and name of the study at an index; NULL past the last.
const char *shipped_study(size_t index, char name[STUDY_NAME_BYTES]);

#endif
