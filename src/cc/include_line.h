// SPDX-License-Identifier: MIT
// Lines of a source that include a file.
#ifndef CC_INCLUDE_LINE_H
#define CC_INCLUDE_LINE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct IncludeLine {
  const char *name;  // as written
  size_t length;
  bool is_quoted;  // "name", not <name>
} IncludeLine;

// Finds the next #include from *at, and advances *at past it; false if none is left. The
// text is NUL-terminated. Conditions and comments are not interpreted; computed includes
// are skipped.
bool include_line_next(const char **at, IncludeLine *line);

#endif
