// SPDX-License-Identifier: MIT
// The user's sources and headers, by path; system headers are excluded.
#include "clustering/sources.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"

enum { MAX_SOURCE_BYTES = 64 << 20 };

void sources_clear(Sources *sources) {
  for (int i = 0; i < sources->count; i++) edits_clear(&sources->files[i].edits);
  memory_free(sources->files);
  *sources = (Sources){0};
}

static const char *real_path_of(Arena *arena, const char *path) {
  char real[PATH_MAX];
  return arena_strdup(arena, realpath(path, real) ? real : path);
}

static int find_real(const Sources *sources, const char *real_path) {
  for (int i = 0; i < sources->count; i++)
    if (strcmp(sources->files[i].real_path, real_path) == 0) return i;
  return NO_FILE;
}

int sources_find(const Sources *sources, const char *path) {
  char real[PATH_MAX];
  return find_real(sources, realpath(path, real) ? real : path);
}

const char *sources_as_in_file(Arena *arena, const char *path, const char *text, size_t *length) {
  static const char mark[] = "\xef\xbb\xbf";
  char first[sizeof mark] = "";
  size_t got = 0;
  if (file_read_prefix(path, first, sizeof mark - 1, &got, NULL) != OK || strcmp(first, mark) != 0)
    return arena_strndup(arena, text, *length);
  *length += sizeof mark - 1;
  return arena_printf(arena, "%s%s", mark, text);
}

Status sources_add(Sources *sources, const char *path, int *file, Error *err) {
  char *text;
  const char *real_path = real_path_of(sources->arena, path);
  *file = find_real(sources, real_path);
  if (*file != NO_FILE) return OK;
  SourceFile source = {.path = arena_strdup(sources->arena, path), .real_path = real_path};
  TRY(file_read(path, MAX_SOURCE_BYTES, &text, &source.length, err));
  bool has_nul = strlen(text) != source.length;
  if (!has_nul) source.text = sources_as_in_file(sources->arena, path, text, &source.length);
  memory_free(text);
  if (has_nul) return error_set(err, ERR_SYNTAX, "%s: not a text file (NUL byte)", path);
  GROW(sources->files, sources->count, sources->capacity);
  *file = sources->count++;
  sources->files[*file] = source;
  return OK;
}

uint32_t source_line(const SourceFile *file, uint32_t offset) {
  uint32_t line = 1;
  for (uint32_t i = 0; i < offset && i < file->length; i++) line += file->text[i] == '\n';
  return line;
}

uint32_t source_line_begin(const SourceFile *file, uint32_t offset) {
  uint32_t first = (uint32_t)(text_behind_mark(file->text) - file->text);
  while (offset > first && file->text[offset - 1] != '\n') offset--;
  return offset < first ? first : offset;
}

uint32_t source_line_end(const SourceFile *file, uint32_t offset) {
  while (offset < file->length && file->text[offset] != '\n') offset++;
  return offset;
}
