// SPDX-License-Identifier: MIT
// Edits of a text: replacements and insertions.
#include "clustering/rewrite/edits.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool is_known(const Edits *edits, uint32_t begin, uint32_t end, const char *text) {
  for (int i = 0; i < edits->count; i++) {
    const Edit *edit = &edits->items[i];
    if (edit->begin == begin && edit->end == end && strcmp(edit->text, text) == 0) return true;
  }
  return false;
}

void edits_replace(Edits *edits, uint32_t begin, uint32_t end, const char *text) {
  if (is_known(edits, begin, end, text)) return;
  GROW(edits->items, edits->count, edits->capacity);
  edits->items[edits->count] =
      (Edit){.begin = begin, .end = end, .text = text, .order = edits->count};
  edits->count++;
}

void edits_insert(Edits *edits, uint32_t at, const char *text) {
  edits_replace(edits, at, at, text);
}

void edits_clear(Edits *edits) {
  memory_free(edits->items);
  *edits = (Edits){0};
}

// Insertions precede a replacement at the same position.
static int by_place(const void *a, const void *b) {
  const Edit *x = a, *y = b;
  if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
  if (x->end != y->end) return x->end < y->end ? -1 : 1;
  return x->order < y->order ? -1 : 1;
}

static size_t new_length(const Edits *edits, size_t length) {
  for (int i = 0; i < edits->count; i++)
    length += strlen(edits->items[i].text) - (edits->items[i].end - edits->items[i].begin);
  return length;
}

bool edits_apply(Edits *edits, Arena *arena, const char *text, size_t length, char **result,
                 size_t *result_length, uint32_t *conflict) {
  if (edits->count) qsort(edits->items, (size_t)edits->count, sizeof *edits->items, by_place);
  uint32_t at = 0;
  for (int i = 0; i < edits->count; i++) {
    *conflict = edits->items[i].begin;
    if (edits->items[i].begin < at || edits->items[i].end > length) return false;
    at = edits->items[i].end;
  }
  *result_length = new_length(edits, length);
  char *to = *result = arena_alloc(arena, *result_length + 1);
  at = 0;
  for (int i = 0; i < edits->count; i++) {
    const Edit *edit = &edits->items[i];
    size_t added = strlen(edit->text);
    memcpy(to, text + at, edit->begin - at);
    to += edit->begin - at;
    memcpy(to, edit->text, added);
    to += added;
    at = edit->end;
  }
  memcpy(to, text + at, length - at);
  return true;
}
