// SPDX-License-Identifier: MIT
// Overlay of rewritten sources for clang.
//
// A source, and every header of the program that it includes, is rewritten if needed
// (cc/source_rewrite.h). The copies are in another folder; an overlay of the file system
// (-ivfsoverlay) maps them to the paths of the originals, so that messages, __FILE__,
// dependencies and includes with quotes are unaffected.
#ifndef CC_SOURCE_OVERLAY_H
#define CC_SOURCE_OVERLAY_H

#include <stdbool.h>

#include "base/error.h"
#include "cc/words.h"

typedef struct SourceOverlay {
  bool is_needed;       // some file was written anew: there is an overlay
  const char *foreign;  // an NVIDIA library that a file needs, or NULL
} SourceOverlay;

// folders: include path for headers of the program, in order. shared: variables to rewrite
// (cc/shared_variables.h). The overlay is written to `path`, the copies next to it.
Status source_overlay_make(const char *source, const Words *folders, const Words *shared,
                           const char *path, SourceOverlay *overlay, Error *err);

#endif
