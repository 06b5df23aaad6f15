// SPDX-License-Identifier: MIT
// Lines of a stream. A line that is longer than any trace has, or holds a NUL, is an error: the
// file is not a trace.
#include "frontends/accelsim/line_source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

Status line_source_open(LineSource *source, const char *path, Error *err) {
  source->path = path;
  source->number = 0;
  source->at = source->count = 0;
  return byte_source_open(&source->bytes, path, err);
}

void line_source_clear(LineSource *source) {
  byte_source_close(source->bytes);
  source->bytes = NULL;
}

Status line_source_error(const LineSource *source, Error *err, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return error_set(err, ERR_SYNTAX, "%s:%llu: %s", source->path, (unsigned long long)source->number,
                   text);
}

static size_t without_blanks(const char *line, size_t length) {
  while (length &&
         (line[length - 1] == ' ' || line[length - 1] == '\r' || line[length - 1] == '\t'))
    length--;
  return length;
}

Status line_source_next(LineSource *source, char **line, Error *err) {
  size_t length = 0;
  source->number++;
  for (;;) {
    if (source->at == source->count) {
      source->at = 0;
      TRY(byte_source_read(source->bytes, source->buffer, sizeof source->buffer, &source->count,
                           err));
      if (!source->count) break;
    }
    const char *from = source->buffer + source->at;
    size_t left = source->count - source->at;
    const char *end = memchr(from, '\n', left);
    size_t piece = end ? (size_t)(end - from) : left;
    if (length + piece >= MAX_TRACE_LINE_BYTES || memchr(from, 0, piece))
      return line_source_error(source, err, "not a line of a trace: too long, or binary");
    memcpy(source->line + length, from, piece);
    length += piece;
    source->at += piece + (end != NULL);
    if (end) break;
  }
  if (!length && !source->count) {
    *line = NULL;
    return OK;
  }
  source->line[without_blanks(source->line, length)] = 0;
  *line = source->line;
  return OK;
}

Status line_source_next_text(LineSource *source, char **line, Error *err) {
  do TRY(line_source_next(source, line, err));
  while (*line && !**line);
  return OK;
}
