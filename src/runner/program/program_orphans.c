// SPDX-License-Identifier: MIT
// Processes that a program leaves running when it exits: background jobs of a script, daemons.
#define _GNU_SOURCE  // getline
#include "runner/program/program_orphans.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static uint32_t read_children(pid_t *pids, uint32_t capacity) {
  FILE *file = fopen("/proc/thread-self/children", "re");
  uint32_t count = 0;
  int pid;
  if (!file) return 0;
  while (count < capacity && fscanf(file, "%d", &pid) == 1) pids[count++] = pid;
  fclose(file);
  return count;
}

void orphans_adopt(Orphans *orphans) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  orphans->own_count = read_children(orphans->own, sizeof orphans->own / sizeof *orphans->own);
  orphans->count = orphans->asked_count = 0;
}

void orphans_release(void) {
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

static bool is_among(pid_t pid, const pid_t *pids, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (pids[i] == pid) return true;
  return false;
}

static bool has_loaded_libraries(pid_t pid) {
  char path[64], *line = NULL;
  size_t capacity = 0;
  bool is_found = false;
  snprintf(path, sizeof path, "/proc/%ld/maps", (long)pid);
  FILE *file = fopen(path, "re");
  while (file && !is_found && getline(&line, &capacity, file) > 0)
    is_found = strstr(line, "/libheddle.so") != NULL;
  if (file) fclose(file);
  free(line);
  return is_found;
}

void orphans_find(Orphans *orphans) {
  pid_t children[MAX_ORPHANS];
  uint32_t count = read_children(children, MAX_ORPHANS);
  orphans->count = 0;
  for (uint32_t i = 0; i < count; i++) {
    pid_t pid = children[i];
    if (is_among(pid, orphans->own, orphans->own_count) || waitpid(pid, NULL, WNOHANG) != 0)
      continue;
    if (getsid(pid) == getsid(0) || has_loaded_libraries(pid))
      orphans->pids[orphans->count++] = pid;
  }
}

// Those that end leave their own children, which become new ones.
void orphans_ask(Orphans *orphans) {
  for (uint32_t i = 0; i < orphans->count && orphans->asked_count < MAX_ORPHANS; i++) {
    if (is_among(orphans->pids[i], orphans->asked, orphans->asked_count)) continue;
    orphans->asked[orphans->asked_count++] = orphans->pids[i];
    kill(orphans->pids[i], SIGTERM);
  }
}

void orphans_kill(const Orphans *orphans) {
  for (uint32_t i = 0; i < orphans->count; i++) kill(orphans->pids[i], SIGKILL);
}
