// SPDX-License-Identifier: MIT
// A folder for the files of one build, which goes away with all that is in it.
#ifndef CC_SCRATCH_FOLDER_H
#define CC_SCRATCH_FOLDER_H

#include "base/error.h"

typedef struct ScratchFolder {
  char path[64];
} ScratchFolder;

// In $TMPDIR, or /tmp where that is not set or too long.
Status scratch_folder_make(ScratchFolder *folder, Error *err);

// Also what others have put there, clang for one.
void scratch_folder_remove(const ScratchFolder *folder);

#endif
