// SPDX-License-Identifier: MIT
// Errors at a place in a text, shown the way compilers do:
//
//   mm.case:3:7: unknown buffer 'X'
//     fill X f32 rand 1
//          ^
#ifndef BASE_TEXT_SOURCE_ERROR_H
#define BASE_TEXT_SOURCE_ERROR_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct SourceText {
  const char *path;  // as the user gave it
  const char *text;
  size_t length;
} SourceText;

// Line and column count from 1; a column is a byte. Of a very long line only
// the part around the column is shown.
Status source_error(const SourceText *source, Error *err, Status status, uint32_t line,
                    uint32_t column, const char *format, ...) __attribute__((format(printf, 6, 7)));

#endif
