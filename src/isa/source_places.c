// SPDX-License-Identifier: MIT
// Reads lists of source places and matches instructions against them.
#include "isa/source_places.h"

#include <stdlib.h>
#include <string.h>

// A place without its comma: the file, which may be empty, and the line.
typedef struct SourcePlace {
  const char *file;
  size_t file_length;
  uint64_t line;  // 0: not a place
} SourcePlace;

static SourcePlace read_place(const char *text, size_t length) {
  SourcePlace place = {.file = text};
  size_t digits = length;
  while (digits && text[digits - 1] >= '0' && text[digits - 1] <= '9') digits--;
  if (digits == length || length - digits > 9) return place;
  if (digits && text[digits - 1] != ':') return place;
  place.file_length = digits ? digits - 1 : 0;
  if (digits == 1) return place;  // ":42"
  place.line = strtoull(text + digits, NULL, 10);
  return place;
}

static bool is_all(const char *text, size_t length) {
  return length == 3 && memcmp(text, "all", 3) == 0;
}

// "softmax.cu" is in "src/softmax.cu", not in "mysoftmax.cu".
static bool ends_in(const char *file, const SourcePlace *place) {
  size_t length = strlen(file);
  if (!place->file_length) return true;
  if (length < place->file_length) return false;
  const char *tail = file + length - place->file_length;
  if (memcmp(tail, place->file, place->file_length) != 0) return false;
  return tail == file || tail[-1] == '/';
}

bool source_places_have(const char *list, const char *file, uint32_t line) {
  for (const char *at = list; at && *at;) {
    size_t length = strcspn(at, ",");
    if (is_all(at, length)) return true;
    SourcePlace place = read_place(at, length);
    if (place.line == line && ends_in(file ? file : "", &place)) return true;
    at += length;
    at += *at == ',';
  }
  return false;
}

Status source_places_check(const char *list, Error *err) {
  for (const char *at = list; *at;) {
    size_t length = strcspn(at, ",");
    if (!is_all(at, length) && !read_place(at, length).line)
      return error_set(err, ERR_CONFIG,
                       "'%.*s': expected a line, such as 42 or softmax.cu:42, or all", (int)length,
                       at);
    at += length;
    at += *at == ',';
  }
  return OK;
}
