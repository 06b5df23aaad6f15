// SPDX-License-Identifier: MIT
// The files of a program as clang is to see them.
//
// A source, and every header of the program that it includes, is written anew
// where that is needed (cc/source_rewrite.h). The copies stand elsewhere; an
// overlay, which clang lays over the file system (-ivfsoverlay), puts them
// where the originals are. So messages, __FILE__, dependencies and includes
// with quotes are as if nothing had been rewritten.
#ifndef CC_SOURCE_OVERLAY_H
#define CC_SOURCE_OVERLAY_H

#include <stdbool.h>

#include "base/error.h"
#include "cc/words.h"

typedef struct SourceOverlay {
  bool is_needed;       // some file was written anew: there is an overlay
  const char *foreign;  // a library of NVIDIA's that a file asks for, or NULL
} SourceOverlay;

// folders: where clang looks for headers of the program, in order. The overlay
// is written to `path`, the copies beside it.
Status source_overlay_make(const char *source, const Words *folders, const char *path,
                           SourceOverlay *overlay, Error *err);

#endif
