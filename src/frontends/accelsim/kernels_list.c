// SPDX-License-Identifier: MIT
// The list of a traced program's kernels and copies.
#include "frontends/accelsim/kernels_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "frontends/accelsim/line_source.h"
#include "trace/recording.h"

static bool begins_with(const char *text, const char *beginning) {
  return !strncmp(text, beginning, strlen(beginning));
}

static const char *name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool is_kernel_name(const char *path) {
  static const char *const packings[] = {"", ".xz", ".gz", ".zst"};
  size_t length = strlen(path);
  if (path_ends_with(path, RECORDING_ENDING)) return true;
  for (size_t i = 0; i < sizeof packings / sizeof *packings; i++) {
    size_t packing = strlen(packings[i]);
    if (length <= packing + 7 || strcmp(path + length - packing, packings[i])) continue;
    const char *ending = path + length - packing - 7;
    if (!strncmp(ending, ".traceg", 7) || !strncmp(ending, ".tracez", 7)) return true;
  }
  return false;
}

bool kernels_list_is_name(const char *path) {
  return begins_with(name_of(path), "kernelslist") || is_kernel_name(path);
}

static Status read_copy(const LineSource *lines, const char *line, TraceCommand *command,
                        Error *err) {
  char *end;
  const char *comma = strchr(line, ',');
  if (!comma) return line_source_error(lines, err, "a copy without an address: %.80s", line);
  command->address = strtoull(comma + 1, &end, 16);
  if (end == comma + 1 || *end != ',')
    return line_source_error(lines, err, "expected MemcpyHtoD,ADDRESS,BYTES: %.80s", line);
  const char *size = end + 1;
  command->size_bytes = strtoull(size, &end, 10);
  if (end == size || *end)
    return line_source_error(lines, err, "expected MemcpyHtoD,ADDRESS,BYTES: %.80s", line);
  return OK;
}

static Status read_lines(KernelsList *list, LineSource *lines, Arena *arena, Error *err) {
  uint32_t capacity = 0;
  TraceCommand *commands = NULL;
  Status status = OK;
  for (char *line; status == OK;) {
    status = line_source_next_text(lines, &line, err);
    if (status != OK || !line) break;
    TraceCommand command = {0};
    if (begins_with(line, "MemcpyHtoD"))
      status = read_copy(lines, line, &command, err);
    else if (begins_with(line, "kernel"))
      command.kernel = path_beside(arena, lines->path, line);
    else
      continue;
    GROW(commands, list->count, capacity);
    list->kernel_count += command.kernel != NULL;
    commands[list->count++] = command;
  }
  list->commands = ARENA_ARRAY(arena, TraceCommand, list->count + 1);
  if (list->count) memcpy(list->commands, commands, list->count * sizeof *commands);
  memory_free(commands);
  return status;
}

Status kernels_list_read(KernelsList *list, const char *path, Arena *arena, Error *err) {
  *list = (KernelsList){0};
  if (is_kernel_name(path)) {
    list->commands = ARENA_NEW(arena, TraceCommand);
    list->commands->kernel = arena_strdup(arena, path);
    list->count = list->kernel_count = 1;
    return OK;
  }
  LineSource *lines = memory_alloc(sizeof *lines);
  Status status = line_source_open(lines, path, err);
  if (status == OK) status = read_lines(list, lines, arena, err);
  if (status == OK && !list->kernel_count)
    status = error_set(err, ERR_SYNTAX,
                       "%s: no kernels: expected lines such as kernel-1.traceg (a list that the "
                       "tracer's post-processor wrote is named kernelslist.g)",
                       path);
  line_source_clear(lines);
  memory_free(lines);
  return status;
}
