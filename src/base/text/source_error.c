// SPDX-License-Identifier: MIT
// Error messages that show the source line and a caret below the column.
#include "base/text/source_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_COLUMNS = 100, MESSAGE_BYTES = 1024 };

// The text of a line, without its end.
static const char *find_line(const SourceText *source, uint32_t line, size_t *length) {
  const char *at = source->text, *end = source->text + source->length;
  for (uint32_t i = 1; i < line; i++) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    if (!newline) break;
    at = newline + 1;
  }
  const char *newline = memchr(at, '\n', (size_t)(end - at));
  *length = (size_t)((newline ? newline : end) - at);
  return at;
}

// Copies the part of the line around the column, bytes that a terminal would
// act on made visible, and puts a caret below it.
static void show_line(const SourceText *source, uint32_t line, uint32_t column, char *out,
                      size_t out_bytes) {
  size_t length, first = 0;
  const char *text = find_line(source, line, &length);
  size_t at = column ? column - 1 : 0;
  if (at > length) at = length;
  if (at > SHOWN_COLUMNS / 2) first = at - SHOWN_COLUMNS / 2;
  if (length < SHOWN_COLUMNS) first = 0;
  size_t shown = length - first < SHOWN_COLUMNS ? length - first : SHOWN_COLUMNS;
  char piece[SHOWN_COLUMNS + 1], pad[SHOWN_COLUMNS + 1];
  for (size_t i = 0; i < shown; i++) {
    unsigned char byte = (unsigned char)text[first + i];
    piece[i] = byte == '\t' || byte == '\r' ? ' ' : byte < ' ' || byte == 127 ? '?' : (char)byte;
  }
  piece[shown] = '\0';
  memset(pad, ' ', at - first);
  pad[at - first] = '\0';
  snprintf(out, out_bytes, "  %s\n  %s^", piece, pad);
}

Status source_error(const SourceText *source, Error *err, Status status, uint32_t line,
                    uint32_t column, const char *format, ...) {
  char message[MESSAGE_BYTES], shown[2 * SHOWN_COLUMNS + 16];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  show_line(source, line, column, shown, sizeof shown);
  return error_set(err, status, "%s:%u:%u: %s\n%s", source->path, line, column, message, shown);
}
