// SPDX-License-Identifier: MIT
// The lines of a study file:
//
//   [figure speedup]          a kind and a name
//   title = Speed-up          a key and a value
//     over lrr                an indented line goes on with the value
//   # a comment
#ifndef STUDY_SECTIONS_H
#define STUDY_SECTIONS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"

typedef struct SectionLine {
  const char *kind, *name;  // of the section; the name may be empty
  const char *key, *value;
  unsigned line;
} SectionLine;

typedef Status (*SectionLineFn)(void *self, const SectionLine *line, Error *err);

// Calls for each key, in order. Texts live in the arena. Errors get
// "source:line: " before them.
Status sections_read(Arena *arena, const char *source, const char *text, SectionLineFn on_line,
                     void *self, Error *err);

bool sections_is_utf8(const char *bytes, size_t length);

#endif
