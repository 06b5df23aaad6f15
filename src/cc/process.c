// SPDX-License-Identifier: MIT
// Runs other programs and waits for them.
#include "cc/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool process_exists(const char *program) {
  if (strchr(program, '/')) return access(program, X_OK) == 0;
  const char *path = getenv("PATH");
  for (; path && *path; path += strcspn(path, ":"), path += *path == ':') {
    char candidate[PATH_MAX];
    snprintf(candidate, sizeof candidate, "%.*s/%s", (int)strcspn(path, ":"), path, program);
    if (access(candidate, X_OK) == 0) return true;
  }
  return false;
}

// The environment with another TMPDIR.
static void point_at(const char *temporary, Words *variables) {
  for (char **variable = environ; *variable; variable++)
    if (strncmp(*variable, "TMPDIR=", strlen("TMPDIR=")) != 0)
      words_add(variables, "%s", *variable);
  words_add(variables, "TMPDIR=%s", temporary);
}

static void send_to(posix_spawn_file_actions_t *actions, int descriptor, const char *path) {
  if (path)
    posix_spawn_file_actions_addopen(actions, descriptor, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
}

Status process_run(const Words *words, const char *output, const char *messages,
                   const char *temporary, int *exit_code, Error *err) {
  pid_t pid;
  int state;
  Words variables = {0};
  point_at(temporary, &variables);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  send_to(&actions, STDOUT_FILENO, output);
  send_to(&actions, STDERR_FILENO, messages);
  int failure = posix_spawnp(&pid, words->items[0], &actions, NULL, words->items, variables.items);
  words_clear(&variables);
  posix_spawn_file_actions_destroy(&actions);
  if (failure)
    return error_set(err, ERR_IO, "cannot run %s: %s", words->items[0], strerror(failure));
  while (waitpid(pid, &state, 0) < 0)
    if (errno != EINTR)
      return error_set(err, ERR_IO, "cannot wait for %s: %s", words->items[0], strerror(errno));
  *exit_code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
  return OK;
}
