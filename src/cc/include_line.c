// SPDX-License-Identifier: MIT
// Finds the #include lines of a source and the files that they name.
#include "cc/include_line.h"

#include <string.h>

static const char *behind_space(const char *at) {
  return at + strspn(at, " \t");
}

static bool read_line(const char *at, IncludeLine *line) {
  at = behind_space(at);
  if (*at != '#') return false;
  at = behind_space(at + 1);
  if (strncmp(at, "include", 7) != 0) return false;
  at = behind_space(at + 7);
  if (*at != '<' && *at != '"') return false;
  line->is_quoted = *at == '"';
  line->name = at + 1;
  line->length = strcspn(line->name, line->is_quoted ? "\"\n" : ">\n");
  return line->length > 0;
}

bool include_line_next(const char **at, IncludeLine *line) {
  while (**at) {
    const char *start = *at, *end = strchr(start, '\n');
    *at = end ? end + 1 : start + strlen(start);
    if (read_line(start, line)) return true;
  }
  return false;
}
