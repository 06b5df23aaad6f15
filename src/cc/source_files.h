// SPDX-License-Identifier: MIT
// A source and every header of the program that it includes.
//
// Headers are found as the preprocessor finds them, but without its conditions:
// a file too many costs a moment, one too few an error of clang's.
#ifndef CC_SOURCE_FILES_H
#define CC_SOURCE_FILES_H

#include <stddef.h>

#include "base/error.h"
#include "cc/words.h"

typedef struct SourceText {
  const char *path;       // as clang names it
  const char *canonical;  // absolute, without dots
  const char *text;       // NUL-terminated; without a byte-order mark
  size_t length;
} SourceText;

typedef Status SourceVisitor(void *context, const SourceText *source, Error *err);

// Calls visit for each file, the source first, until it fails. folders: include path for
// headers of the program, in order. Headers that cannot be read are left to clang.
Status source_files_visit(const char *source, const Words *folders, SourceVisitor *visit,
                          void *context, Error *err);

#endif
