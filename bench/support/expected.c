// SPDX-License-Identifier: MIT
// Reads tests/reference/expected.tsv, GPGPU-Sim's results by case and warp scheduler.
#include "support/expected.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"

enum { MAX_COLUMNS = 32, EXPECTED_MAX_BYTES = 1 << 24 };

typedef struct Column {
  const char *name;
  size_t offset;
} Column;

static const Column columns[] = {
#define X(column) {#column, offsetof(ExpectedRow, column)},
    EXPECTED_LIST(X)
#undef X
};
enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

// Splits the text at a character, in place; NULL past the last piece.
static char *next_piece(char **rest, char at) {
  char *piece = *rest;
  if (!piece) return NULL;
  char *end = strchr(piece, at);
  if (end) *end = '\0';
  *rest = end ? end + 1 : NULL;
  return piece;
}

static uint32_t split_line(char *line, char *cells[MAX_COLUMNS]) {
  uint32_t count = 0;
  for (char *cell; count < MAX_COLUMNS && (cell = next_piece(&line, '\t'));) cells[count++] = cell;
  return count;
}

static uint32_t find_cell(char *const *cells, uint32_t count, const char *name) {
  uint32_t i = 0;
  while (i < count && strcmp(cells[i], name) != 0) i++;
  return i;
}

static double number_of(const char *cell) {
  return strcmp(cell, "-") == 0 ? (double)NAN : strtod(cell, NULL);
}

static void add_row(ExpectedRows *expected, char *const *cells, const uint32_t *places) {
  GROW(expected->rows, expected->count, expected->capacity);
  ExpectedRow *row = &expected->rows[expected->count++];
  *row = (ExpectedRow){.name = cells[0], .scheduler = cells[1]};
  for (int c = 0; c < COLUMN_COUNT; c++)
    *(double *)((char *)row + columns[c].offset) = number_of(cells[places[c]]);
}

static Status read_rows(ExpectedRows *expected, char *text, Error *err) {
  char *cells[MAX_COLUMNS], *line = next_piece(&text, '\n');
  uint32_t places[COLUMN_COUNT], width = split_line(line, cells);
  for (int c = 0; c < COLUMN_COUNT; c++) {
    places[c] = find_cell(cells, width, columns[c].name);
    if (places[c] == width)
      return error_set(err, ERR_SYNTAX, "there is no column %s", columns[c].name);
  }
  while ((line = next_piece(&text, '\n')))
    if (split_line(line, cells) == width) add_row(expected, cells, places);
  return OK;
}

Status expected_read(ExpectedRows *expected, const char *path, Error *err) {
  char *text;
  size_t length;
  *expected = (ExpectedRows){0};
  TRY(file_read(path, EXPECTED_MAX_BYTES, &text, &length, err));
  Status status = read_rows(expected, arena_strndup(&expected->arena, text, length), err);
  memory_free(text);
  if (status != OK) error_prefix(err, "%s", path);
  return status;
}

void expected_clear(ExpectedRows *expected) {
  memory_free(expected->rows);
  arena_clear(&expected->arena);
}
