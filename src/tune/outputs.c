// SPDX-License-Identifier: MIT
// Compares the output of a variant with that of the original program.
#include "tune/outputs.h"

#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"

enum { MOST_BYTES = 64 << 20 };

static size_t count_lines(const char *text) {
  size_t lines = 0;
  for (; *text; lines++) {
    const char *end = strchr(text, '\n');
    text = end ? end + 1 : text + strlen(text);
  }
  return lines;
}

static size_t line_length(const char *text) {
  return strcspn(text, "\n");
}

// The next line; both texts have the same number of lines.
static const char *next_line(const char *text) {
  text += line_length(text);
  return *text ? text + 1 : text;
}

static bool is_same_line(const char *a, const char *b) {
  size_t length = line_length(a);
  return length == line_length(b) && memcmp(a, b, length) == 0;
}

static void leave_out(Outputs *outputs, const char *other) {
  const char *first = outputs->texts[0];
  for (size_t i = 0; i < outputs->lines; i++) {
    if (!is_same_line(first, other)) outputs->is_left_out[i] = true;
    first = next_line(first);
    other = next_line(other);
  }
}

static Status read_all(Outputs *outputs, const char *const *paths, size_t count, Error *err) {
  size_t length;
  outputs->texts = memory_alloc(sizeof *outputs->texts * (count + 1));
  for (; outputs->count < count; outputs->count++)
    TRY(file_read(paths[outputs->count], MOST_BYTES, &outputs->texts[outputs->count], &length,
                  err));
  return OK;
}

Status outputs_read(Outputs *outputs, const char *const *paths, size_t count, Error *err) {
  *outputs = (Outputs){.is_comparable = true};
  Status status = read_all(outputs, paths, count, err);
  if (status != OK) {
    outputs_clear(outputs);
    return status;
  }
  outputs->lines = count_lines(outputs->texts[0]);
  outputs->is_left_out = memory_alloc(sizeof *outputs->is_left_out * (outputs->lines + 1));
  for (size_t i = 1; i < count; i++) {
    if (count_lines(outputs->texts[i]) != outputs->lines)
      outputs->is_comparable = false;
    else
      leave_out(outputs, outputs->texts[i]);
  }
  return OK;
}

void outputs_clear(Outputs *outputs) {
  for (size_t i = 0; i < outputs->count; i++) memory_free(outputs->texts[i]);
  memory_free(outputs->texts);
  memory_free(outputs->is_left_out);
  *outputs = (Outputs){0};
}

static bool is_same(const Outputs *outputs, const char *other) {
  const char *first = outputs->texts[0];
  if (count_lines(other) != outputs->lines) return false;
  for (size_t i = 0; i < outputs->lines; i++) {
    if (!outputs->is_left_out[i] && !is_same_line(first, other)) return false;
    first = next_line(first);
    other = next_line(other);
  }
  return true;
}

Status outputs_compare(const Outputs *outputs, const char *path, Sameness *sameness, Error *err) {
  char *text;
  size_t length;
  *sameness = OUTPUT_UNKNOWN;
  if (!outputs->is_comparable) return OK;
  TRY(file_read(path, MOST_BYTES, &text, &length, err));
  *sameness = is_same(outputs, text) ? OUTPUT_SAME : OUTPUT_DIFFERENT;
  memory_free(text);
  return OK;
}
