// SPDX-License-Identifier: MIT
// Runs an external tool and captures its output.
#define _GNU_SOURCE  // environ
#include "batch/command.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Files and not pipes: neither side has to wait for the other to read.
static FILE *scratch_file(Error *err) {
  FILE *file = tmpfile();
  if (file)
    fcntl(fileno(file), F_SETFD, FD_CLOEXEC);
  else
    error_set(err, ERR_IO, "cannot create a temporary file: %s", strerror(errno));
  return file;
}

static char *content(FILE *file, Arena *arena) {
  long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
  char *text = arena_alloc(arena, (size_t)(size > 0 ? size : 0) + 1);
  rewind(file);
  size_t length = size > 0 ? fread(text, 1, (size_t)size, file) : 0;
  text[length] = '\0';
  return text;
}

static char *one_line(char *text) {
  size_t length = strlen(text);
  while (length && text[length - 1] == '\n') text[--length] = '\0';
  for (char *at = text; *at; at++)
    if (*at == '\n') *at = ' ';
  return text;
}

static Status spawn(char *const *words, FILE *output, FILE *errors, pid_t *pid, Error *err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, fileno(output), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(errors), STDERR_FILENO);
  int failure = posix_spawnp(pid, words[0], &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure == ENOENT) return error_set(err, ERR_UNSUPPORTED, "%s not found in PATH", words[0]);
  return failure ? error_set(err, ERR_IO, "cannot run %s: %s", words[0], strerror(failure)) : OK;
}

static Status run(char *const *words, FILE *output, FILE *errors, Arena *arena,
                  CommandResult *result, Error *err) {
  pid_t pid;
  int status;
  TRY(spawn(words, output, errors, &pid, err));
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  result->exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result->output = content(output, arena);
  result->errors = one_line(content(errors, arena));
  return OK;
}

Status command_run(char *const *words, Arena *arena, CommandResult *result, Error *err) {
  FILE *output = scratch_file(err), *errors = output ? scratch_file(err) : NULL;
  Status status = errors ? run(words, output, errors, arena, result, err) : ERR_IO;
  if (output) fclose(output);
  if (errors) fclose(errors);
  return status;
}
