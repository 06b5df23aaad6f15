// SPDX-License-Identifier: MIT
// A temporary folder, deleted with its contents when it is removed or when the process exits in
// any way, even by SIGKILL.
#define _GNU_SOURCE  // nftw, pipe2
#include "base/files/scratch_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST_PARENT = 64, OPEN_FOLDERS = 8 };

static int remove_entry(const char *path, const struct stat *about, int type, struct FTW *where) {
  (void)about, (void)type, (void)where;
  remove(path);
  return 0;
}

static void remove_all(const char *path) {
  nftw(path, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

// ---- the guardian

// Runs in a separate process. The pipe is never written to; it is closed when the last
// process that holds its other end exits. Signals sent to the terminal's processes are
// ignored.
static void guard(const char *path, int lifeline) {
  char nothing;
  setpgid(0, 0);
  for (int number = 1; number < NSIG; number++) signal(number, SIG_IGN);
  if (lifeline != 0) dup2(lifeline, 0);
  closefrom(1);
  if (chdir("/") != 0) _exit(1);
  while (read(0, &nothing, 1) < 0 && errno == EINTR) continue;
  remove_all(path);
  _exit(0);
}

// Without one the folder is removed by its owner alone.
static void start_guardian(ScratchFolder *folder) {
  int ends[2];
  folder->guardian = 0;
  folder->lifeline = -1;
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    close(ends[1]);
    guard(folder->path, ends[0]);
  }
  close(ends[0]);
  if (pid < 0) {
    close(ends[1]);
    return;
  }
  folder->lifeline = ends[1];
  folder->guardian = pid;
}

// ---- the folder

static bool try_parent(ScratchFolder *folder, const char *parent, const char *name) {
  if (!parent || !*parent || strlen(parent) > LONGEST_PARENT) return false;
  snprintf(folder->path, sizeof folder->path, "%s/%.32s-XXXXXX", parent, name);
  return mkdtemp(folder->path) != NULL;
}

Status scratch_folder_make(ScratchFolder *folder, const char *name, bool is_large, Error *err) {
  const char *given = getenv("TMPDIR");
  if (!(given && *given == '/' && try_parent(folder, given, name)) &&
      !(is_large && try_parent(folder, "/var/tmp", name)) && !try_parent(folder, "/tmp", name))
    return error_set(err, ERR_IO, "cannot create a folder in /tmp: %s", strerror(errno));
  start_guardian(folder);
  return OK;
}

void scratch_folder_remove(ScratchFolder *folder) {
  remove_all(folder->path);
  if (folder->lifeline >= 0) close(folder->lifeline);
  while (folder->guardian && waitpid((pid_t)folder->guardian, NULL, 0) < 0 && errno == EINTR)
    continue;
}
