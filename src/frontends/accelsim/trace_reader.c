// SPDX-License-Identifier: MIT
// The grouped text format, line by line: #BEGIN_TB, the CTA, its warps, #END_TB.
#include "frontends/accelsim/trace_reader.h"

#include <stdio.h>
#include <string.h>

static Status open_text(TraceReader *reader, const char *path, Error *err) {
  char *line;
  TRY(line_source_open(&reader->lines, path, err));
  for (;;) {
    TRY(line_source_next_text(&reader->lines, &line, err));
    if (!line) return line_source_error(&reader->lines, err, "the file ends within its header");
    if (*line == '#') break;
    TRY(trace_header_line(&reader->header, &reader->lines, line, &reader->arena, err));
  }
  return trace_header_check(&reader->header, &reader->lines, err);
}

Status trace_reader_open(TraceReader *reader, const char *path, Error *err) {
  bool is_packed;
  TRY(tracez_is(path, &is_packed, err));
  if (!is_packed) return open_text(reader, path, err);
  return tracez_open(&reader->packed, path, &reader->header, &reader->arena, err);
}

void trace_reader_clear(TraceReader *reader) {
  line_source_clear(&reader->lines);
  tracez_close(reader->packed);
  arena_clear(&reader->arena);
  reader->packed = NULL;
}

// "name = value" as a number; false: the line is something else.
static bool read_number(const char *line, const char *name, uint64_t *value) {
  size_t length = strlen(name);
  unsigned long long number;
  char end;
  if (strncmp(line, name, length)) return false;
  if (sscanf(line + length, " = %llu%c", &number, &end) != 1 || strchr(line, '-')) return false;
  *value = number;
  return true;
}

static bool read_cta(const char *line, uint32_t cta[3]) {
  char end;
  return sscanf(line, "thread block = %u,%u,%u%c", &cta[0], &cta[1], &cta[2], &end) == 3;
}

static Status begin_cta(TraceReader *reader, Error *err) {
  char *line;
  TRY(line_source_next_text(&reader->lines, &line, err));
  if (!line || !read_cta(line, reader->current.cta))
    return line_source_error(&reader->lines, err, "expected: thread block = X,Y,Z");
  for (int i = 0; i < 3; i++)
    if (reader->current.cta[i] >= reader->header.grid[i])
      return line_source_error(&reader->lines, err, "thread block %u,%u,%u is outside the grid",
                               reader->current.cta[0], reader->current.cta[1],
                               reader->current.cta[2]);
  reader->is_inside = true;
  return OK;
}

static Status begin_warp(TraceReader *reader, uint64_t number, Error *err) {
  const uint32_t *block = reader->header.block;
  char *line;
  if (number * WARP_LANES >= (uint64_t)block[0] * block[1] * block[2])
    return line_source_error(&reader->lines, err, "warp %llu is outside the thread block",
                             (unsigned long long)number);
  reader->current.warp = (uint32_t)number;
  TRY(line_source_next_text(&reader->lines, &line, err));
  if (!line || !read_number(line, "insts", &reader->current.count))
    return line_source_error(&reader->lines, err, "expected: insts = N");
  reader->left = reader->current.count;
  return OK;
}

// One line between warps: *found if it began one.
static Status between_warps(TraceReader *reader, const char *line, bool *found, Error *err) {
  uint64_t number;
  if (!strncmp(line, "#BEGIN_TB", 9) && !reader->is_inside) return begin_cta(reader, err);
  if (!strncmp(line, "#END_TB", 7) && reader->is_inside) {
    reader->is_inside = false;
    return OK;
  }
  if (reader->is_inside && read_number(line, "warp", &number)) {
    *found = true;
    return begin_warp(reader, number, err);
  }
  if (reader->is_inside && !strncmp(line, "cluster ", 8)) return OK;
  return line_source_error(&reader->lines, err, "expected %s: %.80s",
                           reader->is_inside ? "warp = N or #END_TB" : "#BEGIN_TB", line);
}

Status trace_reader_warp(TraceReader *reader, TraceWarp *warp, bool *found, Error *err) {
  char *line;
  *found = false;
  if (reader->packed)
    return tracez_warp(reader->packed, warp->cta, &warp->warp, &warp->count, found, err);
  while (!*found) {
    TRY(line_source_next_text(&reader->lines, &line, err));
    if (!line && reader->is_inside)
      return line_source_error(&reader->lines, err, "the file is truncated: no #END_TB");
    if (!line) return OK;
    TRY(between_warps(reader, line, found, err));
  }
  *warp = reader->current;
  return OK;
}

Status trace_reader_step(TraceReader *reader, SassLine *out, Error *err) {
  char *line;
  const TraceHeader *header = &reader->header;
  if (reader->packed) return tracez_step(reader->packed, out, err);
  TRY(line_source_next_text(&reader->lines, &line, err));
  if (!line)
    return line_source_error(&reader->lines, err,
                             "the file is truncated: %llu instructions of a warp are missing",
                             (unsigned long long)reader->left);
  const char *problem = sass_line_parse(out, line, header->version, header->has_lines);
  if (problem) return line_source_error(&reader->lines, err, "%s: %.120s", problem, line);
  reader->left--;
  return OK;
}
