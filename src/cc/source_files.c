// SPDX-License-Identifier: MIT
// Follows the include lines of a source.
#include "cc/source_files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "cc/include_line.h"

enum { MAX_SOURCE_BYTES = 64 << 20, MAX_FILES = 10000 };

typedef struct Search {
  const Words *folders;
  Words paths, canonical;  // of each file, the source first; found, possibly not yet read
} Search;

// The current folder by the name that clang gives it: $PWD if that is the same folder, which may
// have been reached through a symbolic link.
static bool current_folder(char out[PATH_MAX]) {
  const char *name = getenv("PWD");
  struct stat named, here;
  bool is_same = name && name[0] == '/' && stat(name, &named) == 0 && stat(".", &here) == 0 &&
                 named.st_dev == here.st_dev && named.st_ino == here.st_ino;
  if (!is_same) return getcwd(out, PATH_MAX);
  return snprintf(out, PATH_MAX, "%s", name) < PATH_MAX;
}

// Makes a path absolute and takes dots out of it, as clang does with the names
// that it looks up in an overlay; false if it is too long.
static bool path_canonical(const char *path, char out[PATH_MAX]) {
  char whole[PATH_MAX];
  if (path[0] == '/') {
    if (snprintf(whole, sizeof whole, "%s", path) >= PATH_MAX) return false;
  } else {
    char here[PATH_MAX];
    if (!current_folder(here)) return false;
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
  if (search->paths.count >= MAX_FILES || !path_canonical(path, name)) return;
  for (int i = 0; i < search->canonical.count; i++)
    if (strcmp(search->canonical.items[i], name) == 0) return;
  words_add(&search->paths, "%s", path);
  words_add(&search->canonical, "%s", name);
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

// "." for a file of the current folder.
static bool add_next_to(Search *search, const char *from, const IncludeLine *line) {
  const char *slash = strrchr(from, '/');
  return slash ? add_if_there(search, from, (size_t)(slash - from), line)
               : add_if_there(search, ".", 1, line);
}

// Debian's libcu++, which is written for nvcc.
static bool is_libcudacxx(const IncludeLine *line) {
  return line->length > 5 && memcmp(line->name, "cuda/", 5) == 0;
}

static void add_header(Search *search, const char *from, const IncludeLine *line) {
  if (line->is_quoted && add_next_to(search, from, line)) return;
  for (int i = 0; i < search->folders->count; i++) {
    const char *folder = search->folders->items[i];
    if (add_if_there(search, folder, strlen(folder), line)) return;
  }
  if (is_libcudacxx(line)) add_if_there(search, "/usr/include", strlen("/usr/include"), line);
}

static Status visit_file(Search *search, int n, SourceVisitor *visit, void *context, Error *err) {
  const char *path = search->paths.items[n];
  SourceText source = {.path = path, .canonical = search->canonical.items[n]};
  char *text;
  IncludeLine line;
  Error ignored;
  Status status = file_read(path, MAX_SOURCE_BYTES, &text, &source.length, n ? &ignored : err);
  if (status != OK) return n ? OK : status;  // clang reports a missing header, if it is needed
  for (const char *at = text; include_line_next(&at, &line);) add_header(search, path, &line);
  source.text = text;
  status = visit(context, &source, err);
  memory_free(text);
  return status;
}

Status source_files_visit(const char *source, const Words *folders, SourceVisitor *visit,
                          void *context, Error *err) {
  Search search = {.folders = folders};
  Status status = OK;
  add_file(&search, source);
  for (int i = 0; i < search.paths.count && status == OK; i++)
    status = visit_file(&search, i, visit, context, err);
  words_clear(&search.paths);
  words_clear(&search.canonical);
  return status;
}
