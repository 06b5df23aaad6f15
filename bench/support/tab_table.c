// SPDX-License-Identifier: MIT
// Cuts the text of a table into lines, and lines into cells, in place.
#include "support/tab_table.h"

#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"

enum { MAX_BYTES = 1 << 22 };

// Returns how many cells there are; those beyond `most` are not kept.
static uint32_t split_line(char *line, char **cells, uint32_t most) {
  uint32_t count = 0;
  for (char *rest = line; rest; count++) {
    if (count < most) cells[count] = rest;
    rest = strchr(rest, '\t');
    if (rest) *rest++ = '\0';
  }
  return count;
}

typedef struct Reading {
  const char *const *columns;
  uint32_t column_count, row;
  TabRow *take;
  void *to;
} Reading;

static Status check_header(const Reading *reading, char *line, Error *err) {
  char *cells[TAB_TABLE_MOST_COLUMNS];
  uint32_t count = split_line(line, cells, reading->column_count);
  for (uint32_t i = 0; i < reading->column_count; i++)
    if (i >= count || strcmp(cells[i], reading->columns[i]) != 0)
      return error_set(err, ERR_SYNTAX, "column %u is not '%s'", i + 1, reading->columns[i]);
  return OK;
}

static Status take_line(Reading *reading, char *line, Error *err) {
  char *cells[TAB_TABLE_MOST_COLUMNS];
  reading->row++;
  if (split_line(line, cells, reading->column_count) != reading->column_count)
    return error_set(err, ERR_SYNTAX, "row %u: expected %u cells", reading->row,
                     reading->column_count);
  if (reading->take(reading->to, cells, err) == OK) return OK;
  return error_prefix(err, "row %u", reading->row);
}

static Status read_lines(Reading *reading, char *text, Error *err) {
  char *rest, *line = strtok_r(text, "\n", &rest);
  if (!line) return error_set(err, ERR_SYNTAX, "empty file");
  TRY(check_header(reading, line, err));
  while ((line = strtok_r(NULL, "\n", &rest))) TRY(take_line(reading, line, err));
  return OK;
}

Status tab_table_read(const char *path, const char *const *columns, uint32_t column_count,
                      TabRow *take, void *to, Arena *arena, Error *err) {
  char *text;
  size_t length;
  Reading reading = {.columns = columns, .column_count = column_count, .take = take, .to = to};
  TRY(file_read(path, MAX_BYTES, &text, &length, err));
  Status status = read_lines(&reading, arena_strndup(arena, text, length), err);
  memory_free(text);
  return status == OK ? OK : error_prefix(err, "%s", path);
}
