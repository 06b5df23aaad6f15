// SPDX-License-Identifier: MIT
// Overlay of rewritten sources for clang.
#include "cc/source_overlay.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/foreign.h"
#include "cc/source_files.h"
#include "cc/source_rewrite.h"
#include "cc/shared_variables.h"

typedef struct Making {
  const char *path;  // of the overlay
  const Words *shared;
  json_t *roots;  // of the overlay: mapping of files
  const char *foreign;
} Making;

static Status put_copy(Making *making, const char *name, const char *text, size_t length,
                       Error *err) {
  char copy[PATH_MAX];
  snprintf(copy, sizeof copy, "%s.%zu", making->path, json_array_size(making->roots));
  FILE *file = fopen(copy, "w");
  bool is_written = file && fwrite(text, 1, length, file) == length;
  if (file) is_written = fclose(file) == 0 && is_written;
  if (!is_written) return error_set(err, ERR_IO, "cannot write %s: %s", copy, strerror(errno));
  // JSON requires UTF-8: with such a name clang reads the original.
  json_t *root =
      json_pack("{s:s, s:s, s:s}", "name", name, "type", "file", "external-contents", copy);
  if (root) json_array_append_new(making->roots, root);
  return OK;
}

// clang has seen the first of the two new texts when it refused variables.
static bool rewrite(const SourceText *source, const Words *shared, char **anew, size_t *length) {
  bool is_new = source_rewrite(source->text, source->length, anew, length);
  const char *text = is_new ? *anew : source->text;
  char *second;
  size_t second_length, text_length = is_new ? *length : source->length;
  if (!shared_variables_rewrite(source->path, text, text_length, shared, &second, &second_length))
    return is_new;
  free(*anew);
  *anew = second;
  *length = second_length;
  return true;
}

static Status take_source(void *context, const SourceText *source, Error *err) {
  Making *making = context;
  char *anew;
  size_t anew_length;
  IncludeLine line;
  for (const char *at = source->text; !making->foreign && include_line_next(&at, &line);)
    making->foreign = foreign_library(&line);
  bool is_new = rewrite(source, making->shared, &anew, &anew_length);
  Status status = is_new ? put_copy(making, source->canonical, anew, anew_length, err) : OK;
  free(anew);
  return status;
}

static Status write_overlay(const Making *making, Error *err) {
  json_t *overlay = json_pack("{s:i, s:b, s:b, s:O}", "version", 0, "use-external-names", 0,
                              "case-sensitive", 1, "roots", making->roots);
  bool is_written = json_dump_file(overlay, making->path, 0) == 0;
  json_decref(overlay);
  return is_written ? OK : error_set(err, ERR_IO, "cannot write %s", making->path);
}

Status source_overlay_make(const char *source, const Words *folders, const Words *shared,
                           const char *path, SourceOverlay *overlay, Error *err) {
  Making making = {.path = path, .shared = shared, .roots = json_array()};
  Status status = source_files_visit(source, folders, take_source, &making, err);
  bool is_needed = json_array_size(making.roots) > 0;
  if (status == OK && is_needed) status = write_overlay(&making, err);
  *overlay = (SourceOverlay){.is_needed = is_needed, .foreign = making.foreign};
  json_decref(making.roots);
  return status;
}
