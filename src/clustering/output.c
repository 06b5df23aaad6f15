// SPDX-License-Identifier: MIT
// Paths of rewritten files, and includes between them.
#include "clustering/output.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/replaced_file.h"
#include "clustering/diff.h"
#include "clustering/rewrite/rewrite.h"
#include "clustering/text.h"

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool is_folder(const char *path) {
  struct stat status;
  size_t length = strlen(path);
  return (length && path[length - 1] == '/') ||
         (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
}

static const char *clustered_name(Program *program, const char *path) {
  const char *name = base_name(path), *dot = strrchr(name, '.');
  if (!dot) dot = name + strlen(name);
  return arena_printf(&program->arena, "%.*s.clustered%s", (int)(dot - name), name, dot);
}

// The folder that files go to, with a slash; "" for the current one.
static const char *folder_of(Program *program, const RewriteRequest *request) {
  const char *output = request->output ? request->output : "";
  if (is_folder(output))
    return arena_printf(&program->arena, "%s%s", output,
                        output[strlen(output) - 1] == '/' ? "" : "/");
  return arena_strndup(&program->arena, output, (size_t)(base_name(output) - output));
}

static const char *output_path(Program *program, const RewriteRequest *request,
                               const SourceFile *file) {
  const char *output = request->output ? request->output : "";
  if (file->is_given && *output && !is_folder(output)) return output;
  const char *name =
      file->is_given && *output ? base_name(file->path) : clustered_name(program, file->path);
  return arena_printf(&program->arena, "%s%s", folder_of(program, request), name);
}

// ---- includes

// Changed headers are included under their new names, so their includers change, too.
static bool change_includes(Program *program) {
  bool has_changed = false;
  for (int i = 0; i < program->tree_count; i++) {
    const Tree *tree = program->trees[i];
    for (int j = 0; j < tree->inclusion_count; j++) {
      const Inclusion *inclusion = &tree->inclusions[j];
      if (inclusion->included == NO_FILE || inclusion->file == NO_FILE) continue;
      SourceFile *header = &program->sources.files[inclusion->included];
      SourceFile *file = &program->sources.files[inclusion->file];
      if (!header->edits.count || header->is_given) continue;
      uint32_t begin = inclusion->begin;
      while (begin < inclusion->end && !strchr("\"<", file->text[begin])) begin++;
      uint32_t end = begin + 1;
      while (end < file->length && !strchr("\">\n", file->text[end])) end++;
      int before = file->edits.count;
      edits_replace(&file->edits, begin, end + 1,
                    arena_printf(&program->arena, "\"%s\"", clustered_name(program, header->path)));
      has_changed |= file->edits.count != before;
    }
  }
  return has_changed;
}

static bool names_header(const Edits *edits) {
  for (int i = 0; i < edits->count; i++)
    if (strstr(edits->items[i].text, "heddle::cluster::")) return true;
  return false;
}

static uint32_t first_edit(const Edits *edits) {
  uint32_t first = UINT32_MAX;
  for (int i = 0; i < edits->count; i++)
    if (edits->items[i].begin < first) first = edits->items[i].begin;
  return first;
}

// How many #if are open at a byte.
static int condition_depth(const SourceFile *file, uint32_t offset) {
  int depth = 0;
  for (uint32_t at = 0; at < offset;) {
    uint32_t word = text_skip_space(file, at);
    if (word < offset && file->text[word] == '#') {
      word = text_skip_space(file, word + 1);
      if (strncmp(file->text + word, "if", 2) == 0) depth++;
      if (strncmp(file->text + word, "endif", 5) == 0) depth--;
    }
    at = source_line_end(file, at) + 1;
  }
  return depth;
}

// Whether a byte is in braces, as in extern "C" { ... }.
static bool is_in_braces(const SourceFile *file, uint32_t offset) {
  int depth = 0;
  for (uint32_t at = text_skip_space(file, 0); at < offset;) {
    depth += (file->text[at] == '{') - (file->text[at] == '}');
    at = text_skip_space(file, text_skip_token(file, at));
  }
  return depth > 0;
}

// Behind the last include before the first edit that is in no further condition
// than the others; 0 if there is none.
static uint32_t place_for_include(const Program *program, int number) {
  const SourceFile *file = &program->sources.files[number];
  uint32_t limit = first_edit(&file->edits), place = 0;
  int least = INT_MAX;
  for (int i = 0; i < program->tree_count; i++) {
    const Tree *tree = program->trees[i];
    for (int j = 0; j < tree->inclusion_count; j++) {
      const Inclusion *inclusion = &tree->inclusions[j];
      if (inclusion->file != number || inclusion->begin > limit ||
          is_in_braces(file, inclusion->begin))
        continue;
      int depth = condition_depth(file, inclusion->begin);
      uint32_t behind = source_line_end(file, inclusion->end);
      if (depth < least || (depth == least && behind > place)) place = behind;
      if (depth < least) least = depth;
    }
  }
  return place < file->length ? place + (place > 0) : place;
}

static uint32_t next_line(const SourceFile *file, uint32_t at) {
  uint32_t end = source_line_end(file, at);
  return end < file->length ? end + 1 : end;
}

static bool begins_with(const SourceFile *file, uint32_t at, const char *text) {
  return strncmp(file->text + at, text, strlen(text)) == 0;
}

// Position after #pragma once or the two lines of an include guard, if a header starts with
// them. A macro with a value is not a guard.
static uint32_t behind_guard(const SourceFile *file, uint32_t at) {
  if (file->is_given) return at;
  if (begins_with(file, at, "#pragma once")) return next_line(file, at);
  uint32_t second = next_line(file, at);
  if (!begins_with(file, at, "#ifndef ") || !begins_with(file, second, "#define ")) return at;
  uint32_t name_end = text_skip_token(file, second + (uint32_t)strlen("#define "));
  return name_end + (file->text[name_end] == '\r') == source_line_end(file, second)
             ? next_line(file, second)
             : at;
}

void rewrite_includes(Program *program) {
  for (int i = 0; i < program->sources.count; i++) {
    const SourceFile *file = &program->sources.files[i];
    if (!names_header(&file->edits) || strstr(file->text, "heddle/cluster.cuh")) continue;
    uint32_t at = place_for_include(program, i);
    bool is_first = at == 0;
    if (is_first) at = behind_guard(file, source_line_begin(file, text_skip_space(file, 0)));
    rewrite_insert(
        program, i, at,
        is_first ? "#include <heddle/cluster.cuh>\n\n" : "#include <heddle/cluster.cuh>\n");
  }
}

// ---- writing

static Status write_file(const char *path, const char *text, size_t length, Error *err) {
  ReplacedFile out;
  TRY(replaced_file_begin(&out, path, err));
  fwrite(text, 1, length, out.file);
  return replaced_file_end(&out, OK, err);
}

static Status check_path(const Program *program, const char *path, Error *err) {
  if (sources_find(&program->sources, path) == NO_FILE) return OK;
  return error_set(err, ERR_USAGE, "%s is a source: name another file with -o", path);
}

// Unchanged quoted includes are searched next to the file, which is now in another folder.
static void note_folder(const Program *program, const SourceFile *file, const char *path) {
  const char *name = base_name(path);
  char real[PATH_MAX], folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%.*s", name > path ? (int)(name - path) : 1,
           name > path ? path : ".");
  size_t length = (size_t)(base_name(file->real_path) - file->real_path);
  bool is_same = realpath(folder, real) && length == strlen(real) + 1 &&
                 strncmp(real, file->real_path, length - 1) == 0;
  if (is_same) return;
  for (int i = 0; i < program->sources.count; i++) {
    const SourceFile *other = &program->sources.files[i];
    if (other == file || strncmp(other->real_path, file->real_path, length) != 0) continue;
    fprintf(stderr, "heddle cluster: note: compile %s with -I %.*s, where its headers are\n", path,
            (int)(length > 1 ? length - 1 : 1), file->real_path);
    return;
  }
}

static Status write_changed(Program *program, const RewriteRequest *request, SourceFile *file,
                            Error *err) {
  char *text;
  size_t length;
  uint32_t conflict;
  if (!edits_apply(&file->edits, &program->arena, file->text, file->length, &text, &length,
                   &conflict))
    return error_set(err, ERR_INTERNAL, "%s:%u: two edits contradict each other", file->path,
                     source_line(file, conflict));
  const char *path = output_path(program, request, file);
  if (request->is_dry_run) {
    diff_print(file, path, stdout);
    return OK;
  }
  TRY(check_path(program, path, err));
  TRY(write_file(path, text, length, err));
  if (file->is_given) note_folder(program, file, path);
  return OK;
}

static Status check_names(Program *program, const RewriteRequest *request, Error *err) {
  for (int i = 0; i < program->sources.count; i++)
    for (int j = 0; j < i; j++) {
      const SourceFile *a = &program->sources.files[i], *b = &program->sources.files[j];
      if (!a->edits.count || !b->edits.count) continue;
      const char *path = output_path(program, request, a);
      if (strcmp(path, output_path(program, request, b)) == 0)
        return error_set(err, ERR_USAGE, "%s and %s would both become %s%s", b->path, a->path, path,
                         request->path_count > 1 ? ": name a folder with -o" : "");
    }
  return OK;
}

Status output_write(Program *program, const RewriteRequest *request, Error *err) {
  if (!request->output && !request->is_dry_run) return OK;  // it was only to be explained
  while (change_includes(program)) continue;
  rewrite_includes(program);
  TRY(check_names(program, request, err));
  for (int i = 0; i < program->sources.count; i++)
    if (program->sources.files[i].edits.count)
      TRY(write_changed(program, request, &program->sources.files[i], err));
  return OK;
}
