// SPDX-License-Identifier: MIT
// Destruction of a module, and error messages that quote the line.
#include "frontends/ptx/parse/syntax.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

// Longer lines are truncated around the caret.
enum { SHOWN_COLUMNS = 120, SHOWN_BEFORE = 80 };

void ptx_module_destroy(PtxModule *module) {
  if (!module) return;
  arena_clear(&module->arena);
  memory_free(module);
}

static const char *find_line(const char *text, uint32_t line) {
  for (uint32_t i = 1; i < line; i++) {
    const char *end = strchr(text, '\n');
    if (!end) return "";
    text = end + 1;
  }
  return text;
}

// Copies the displayed part of a line, and a caret line below it. Tabs become
// one space, so that the caret is aligned on any terminal.
static void show_line(char *out, size_t out_bytes, const char *line, uint32_t column) {
  size_t length = strcspn(line, "\r\n");
  size_t caret = column - 1 < length ? column - 1 : length;
  size_t first = caret > SHOWN_COLUMNS - 1 ? caret - SHOWN_BEFORE : 0;
  size_t shown = length - first < SHOWN_COLUMNS ? length - first : SHOWN_COLUMNS;
  char copy[SHOWN_COLUMNS + 1] = "";
  for (size_t i = 0; i < shown; i++) {
    unsigned char c = (unsigned char)line[first + i];
    copy[i] = c == '\t' ? ' ' : (char)(c < ' ' || c > '~' ? '?' : c);
  }
  snprintf(out, out_bytes, "%s%s%s\n%*s^", first ? "..." : "", copy,
           first + shown < length ? "..." : "", (int)(caret - first + (first ? 3 : 0)), "");
}

Status ptx_error(const PtxModule *module, Error *err, Status status, PtxPosition position,
                 const char *format, ...) {
  char message[ERROR_TEXT_BYTES / 2], shown[2 * SHOWN_COLUMNS + 32];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  show_line(shown, sizeof shown, find_line(module->text, position.line), position.column);
  return error_set(err, status, "%.256s:%u:%u: %s\n%s", module->path, position.line,
                   position.column, message, shown);
}
