// SPDX-License-Identifier: MIT
// Edits of a text: replacements and insertions. Everything else is preserved byte for byte.
//
// A source is traversed several times (as host and device code, for each instance of a
// template), so the same edit may be added repeatedly and counts once.
#ifndef CLUSTERING_REWRITE_EDITS_H
#define CLUSTERING_REWRITE_EDITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct Edit {
  uint32_t begin, end;  // bytes that go; equal for an insertion
  const char *text;     // what comes there
  int order;            // insertions at one place keep the order in which they were added
} Edit;

typedef struct Edits {
  Edit *items;
  int count, capacity;
} Edits;

// The text must outlive the edits.
void edits_replace(Edits *edits, uint32_t begin, uint32_t end, const char *text);
void edits_insert(Edits *edits, uint32_t at, const char *text);
void edits_clear(Edits *edits);

// Returns the new text, NUL-terminated, in the arena. False if two edits conflict: *conflict is
// the position.
bool edits_apply(Edits *edits, Arena *arena, const char *text, size_t length, char **result,
                 size_t *result_length, uint32_t *conflict);

#endif
