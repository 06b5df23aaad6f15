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

// The next one from *at on, which moves behind it; false if none is left. The
// text ends with a NUL. Neither conditions nor comments are looked at, and a
// name that only the preprocessor knows is passed over.
bool include_line_next(const char **at, IncludeLine *line);

#endif
