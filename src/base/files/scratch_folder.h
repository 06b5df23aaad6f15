// SPDX-License-Identifier: MIT
// A temporary folder, deleted with its contents when it is removed or when the process
// exits in any way, even by SIGKILL. A small helper process ensures that.
#ifndef BASE_FILES_SCRATCH_FOLDER_H
#define BASE_FILES_SCRATCH_FOLDER_H

#include <stdbool.h>

#include "base/error.h"

typedef struct ScratchFolder {
  char path[128];
  int lifeline;  // private: closed when this process ends
  long guardian;
} ScratchFolder;

// In $TMPDIR, or /tmp where that is not set or too long; for large files rather
// in /var/tmp, as /tmp is memory on many systems. Its name begins with `name`.
// The process must not have several threads.
Status scratch_folder_make(ScratchFolder *folder, const char *name, bool is_large, Error *err);

// Also what others have put there, clang for one.
void scratch_folder_remove(ScratchFolder *folder);

#endif
