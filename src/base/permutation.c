// SPDX-License-Identifier: MIT
// Files with the numbers 0 to n - 1 in any order: which number each thing has.
#include "base/permutation.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"

enum { MAX_BYTES = 64 << 20 };

typedef struct Reader {
  const char *path, *at;
  uint32_t line;
  uint32_t *numbers;
  uint32_t count, capacity;
} Reader;

static void skip_blanks(Reader *reader) {
  for (;; reader->at++) {
    if (*reader->at == '#') reader->at += strcspn(reader->at, "\n");
    if (*reader->at == '\n') reader->line++;
    if (!*reader->at || !strchr(" \t\r\n,", *reader->at)) return;
  }
}

static Status read_number(Reader *reader, Error *err) {
  char *end;
  bool is_number = *reader->at >= '0' && *reader->at <= '9';
  unsigned long number = strtoul(reader->at, &end, 10);
  if (!is_number || number >= PERMUTATION_MAX_NUMBERS || reader->count == PERMUTATION_MAX_NUMBERS)
    return error_set(err, ERR_CONFIG,
                     "%s:%u: '%.20s': expected an integer from 0 to %d (at most %d entries)",
                     reader->path, reader->line, reader->at, PERMUTATION_MAX_NUMBERS - 1,
                     PERMUTATION_MAX_NUMBERS);
  GROW(reader->numbers, reader->count, reader->capacity);
  reader->numbers[reader->count++] = (uint32_t)number;
  reader->at = end;
  return OK;
}

static Status read_all(Reader *reader, Error *err) {
  for (skip_blanks(reader); *reader->at; skip_blanks(reader)) TRY(read_number(reader, err));
  return reader->count ? OK : error_set(err, ERR_CONFIG, "%s: no entries", reader->path);
}

static Status check(const Reader *reader, Error *err) {
  bool *seen = memory_alloc(reader->count);
  Status status = OK;
  for (uint32_t i = 0; i < reader->count && status == OK; i++) {
    uint32_t number = reader->numbers[i];
    if (number >= reader->count)
      status = error_set(err, ERR_CONFIG, "%s: %u: out of range; %u entries are numbered 0 to %u",
                         reader->path, number, reader->count, reader->count - 1);
    else if (seen[number])
      status =
          error_set(err, ERR_CONFIG, "%s: duplicate entry %u; each number must occur exactly once",
                    reader->path, number);
    else
      seen[number] = true;
  }
  memory_free(seen);
  return status;
}

Status permutation_read(const char *path, uint32_t **numbers, uint32_t *count, Error *err) {
  char *text;
  size_t length;
  TRY(file_read(path, MAX_BYTES, &text, &length, err));
  Reader reader = {.path = path, .at = text, .line = 1};
  Status status = read_all(&reader, err);
  if (status == OK) status = check(&reader, err);
  memory_free(text);
  if (status != OK) {
    memory_free(reader.numbers);
    return status;
  }
  *numbers = reader.numbers;
  *count = reader.count;
  return OK;
}
