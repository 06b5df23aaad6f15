// SPDX-License-Identifier: MIT
// Reads the published measurements of bench/microbenchmarks/published.tsv, and the range of each
// quantity.
#include "support/micro_published.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"

enum { COLUMNS = 4, MOST_BYTES = 1 << 20 };

// Cuts a line at its tabs; false: it has another number of cells.
static bool split(char *line, char *cells[COLUMNS]) {
  int count = 0;
  for (char *cell = line; cell && count < COLUMNS; count++) {
    cells[count] = cell;
    cell = strchr(cell, '\t');
    if (cell) *cell++ = '\0';
    if (count == COLUMNS - 1 && cell) return false;
  }
  return count == COLUMNS;
}

static void add_row(MicroPublished *published, char *const *cells, double value) {
  GROW(published->rows, published->count, published->capacity);
  published->rows[published->count++] =
      (MicroRow){.gpu = cells[0], .quantity = cells[1], .value = value, .source = cells[3]};
}

Status micro_published_read(MicroPublished *published, const char *path, Error *err) {
  size_t length;
  TRY(file_read(path, MOST_BYTES, &published->text, &length, err));
  uint32_t number = 0;
  for (char *line = published->text; line && *line;) {
    char *end = strchr(line, '\n'), *cells[COLUMNS], *rest;
    if (end) *end = '\0';
    if (!split(line, cells))
      return error_set(err, ERR_SYNTAX, "%s:%u: not four cells between tabs", path, number + 1);
    double value = strtod(cells[2], &rest);
    if (number++ && (*rest || value <= 0))
      return error_set(err, ERR_SYNTAX, "%s:%u: '%s' is not a positive number", path, number,
                       cells[2]);
    if (number > 1) add_row(published, cells, value);
    line = end ? end + 1 : NULL;
  }
  return OK;
}

void micro_published_clear(MicroPublished *published) {
  memory_free(published->rows);
  memory_free(published->text);
  *published = (MicroPublished){0};
}

MicroRange micro_published_range(const MicroPublished *published, const char *gpu,
                                 const char *quantity) {
  MicroRange range = {0};
  const char *first = "";
  for (uint32_t i = 0; i < published->count; i++) {
    const MicroRow *row = &published->rows[i];
    if (strcmp(row->gpu, gpu) != 0 || strcmp(row->quantity, quantity) != 0) continue;
    if (!range.count++) {
      range.low = range.high = row->value;
      first = row->source;
    }
    if (row->value < range.low) range.low = row->value;
    if (row->value > range.high) range.high = row->value;
  }
  if (range.count > 1)
    snprintf(range.source, sizeof range.source, "%s, and %u more", first, range.count - 1);
  else
    snprintf(range.source, sizeof range.source, "%s", first);
  return range;
}
