// SPDX-License-Identifier: MIT
// Headers are found as the preprocessor finds them, but without its conditions:
// a file too many costs a moment, one too few an error of clang's.
#include "cc/source_overlay.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "cc/foreign.h"
#include "cc/source_rewrite.h"

enum { MAX_SOURCE_BYTES = 64 << 20, MAX_FILES = 10000 };

typedef struct Search {
  const Words *folders;
  const char *path;  // of the overlay
  Words files;       // absolute paths, the source first; found, possibly not yet read
  json_t *roots;     // of the overlay: mapping of files
  const char *foreign;
} Search;

// Makes a path absolute and takes dots out of it, as clang does with the names
// that it looks up in an overlay; false if it is too long.
static bool path_canonical(const char *path, char out[PATH_MAX]) {
  char whole[PATH_MAX];
  if (path[0] == '/') {
    if (snprintf(whole, sizeof whole, "%s", path) >= PATH_MAX) return false;
  } else {
    char here[PATH_MAX];
    if (!getcwd(here, sizeof here)) return false;
    if (snprintf(whole, sizeof whole, "%s/%s", here, path) >= PATH_MAX) return false;
  }
  size_t length = 0;
  for (const char *at = whole; *at;) {
    at += strspn(at, "/");
    size_t part = strcspn(at, "/");
    if (part == 2 && at[0] == '.' && at[1] == '.') {
      while (length && out[--length] != '/') {
      }
    } else if (part && !(part == 1 && at[0] == '.')) {
      out[length++] = '/';
      memcpy(out + length, at, part);
      length += part;
    }
    at += part;
  }
  out[length] = '\0';
  return length > 0;
}

static void add_file(Search *search, const char *path) {
  char name[PATH_MAX];
  if (search->files.count >= MAX_FILES || !path_canonical(path, name)) return;
  for (int i = 0; i < search->files.count; i++)
    if (strcmp(search->files.items[i], name) == 0) return;
  words_add(&search->files, "%s", name);
}

static bool add_if_there(Search *search, const char *folder, size_t folder_length,
                         const IncludeLine *line) {
  char path[PATH_MAX];
  int length = snprintf(path, sizeof path, "%.*s/%.*s", (int)folder_length, folder,
                        (int)line->length, line->name);
  if (length >= PATH_MAX || access(path, R_OK) != 0) return false;
  add_file(search, path);
  return true;
}

static void add_header(Search *search, const char *from, const IncludeLine *line) {
  if (line->is_quoted && add_if_there(search, from, (size_t)(strrchr(from, '/') - from), line))
    return;
  for (int i = 0; i < search->folders->count; i++) {
    const char *folder = search->folders->items[i];
    if (add_if_there(search, folder, strlen(folder), line)) return;
  }
}

static Status put_copy(Search *search, const char *name, const char *text, size_t length,
                       Error *err) {
  char copy[PATH_MAX];
  snprintf(copy, sizeof copy, "%s.%zu", search->path, json_array_size(search->roots));
  FILE *file = fopen(copy, "w");
  bool is_written = file && fwrite(text, 1, length, file) == length;
  if (file) is_written = fclose(file) == 0 && is_written;
  if (!is_written) return error_set(err, ERR_IO, "cannot write %s: %s", copy, strerror(errno));
  // JSON requires UTF-8: with such a name clang reads the original.
  json_t *root =
      json_pack("{s:s, s:s, s:s}", "name", name, "type", "file", "external-contents", copy);
  if (root) json_array_append_new(search->roots, root);
  return OK;
}

static Status read_source(Search *search, const char *name, Error *err) {
  char *text, *anew;
  size_t length, anew_length;
  IncludeLine line;
  TRY(file_read(name, MAX_SOURCE_BYTES, &text, &length, err));
  for (const char *at = text; include_line_next(&at, &line);) {
    if (!search->foreign) search->foreign = foreign_library(&line);
    add_header(search, name, &line);
  }
  Status status = OK;
  if (source_rewrite(text, length, &anew, &anew_length)) {
    status = put_copy(search, name, anew, anew_length, err);
    free(anew);
  }
  memory_free(text);
  return status;
}

static Status write_overlay(const Search *search, Error *err) {
  json_t *overlay = json_pack("{s:i, s:b, s:b, s:O}", "version", 0, "use-external-names", 0,
                              "case-sensitive", 1, "roots", search->roots);
  bool is_written = json_dump_file(overlay, search->path, 0) == 0;
  json_decref(overlay);
  return is_written ? OK : error_set(err, ERR_IO, "cannot write %s", search->path);
}

static Status read_all(Search *search, Error *err) {
  for (int i = 0; i < search->files.count; i++) {
    Error ignored;
    // clang reports a missing header, if it is needed.
    Status status = read_source(search, search->files.items[i], i ? &ignored : err);
    if (i == 0) TRY(status);
  }
  return json_array_size(search->roots) ? write_overlay(search, err) : OK;
}

Status source_overlay_make(const char *source, const Words *folders, const char *path,
                           SourceOverlay *overlay, Error *err) {
  Search search = {.folders = folders, .path = path, .roots = json_array()};
  add_file(&search, source);
  Status status = read_all(&search, err);
  *overlay = (SourceOverlay){.is_needed = json_array_size(search.roots) > 0,
                             .foreign = search.foreign};
  json_decref(search.roots);
  words_clear(&search.files);
  return status;
}
