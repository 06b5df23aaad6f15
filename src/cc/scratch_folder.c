// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700  // nftw
#include "cc/scratch_folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_PARENT = 32, OPEN_FOLDERS = 8 };

Status scratch_folder_make(ScratchFolder *folder, Error *err) {
  const char *parent = getenv("TMPDIR");
  if (!parent || !*parent || strlen(parent) > LONGEST_PARENT) parent = "/tmp";
  snprintf(folder->path, sizeof folder->path, "%s/heddle-cc-XXXXXX", parent);
  if (mkdtemp(folder->path)) return OK;
  return error_set(err, ERR_IO, "cannot make a folder in %s: %s", parent, strerror(errno));
}

static int remove_entry(const char *path, const struct stat *about, int type, struct FTW *where) {
  (void)about, (void)type, (void)where;
  remove(path);
  return 0;
}

void scratch_folder_remove(const ScratchFolder *folder) {
  nftw(folder->path, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}
