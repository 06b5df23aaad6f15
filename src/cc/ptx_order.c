// SPDX-License-Identifier: MIT
// Sorts the lines that define kernels' addresses; all other lines stay where they are.
#include "cc/ptx_order.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char definition[] = ".weak .global .align 8 .u64 _ZN6heddle14kernel_address";

typedef struct Line {
  const char *text;
  size_t length;  // with its end
} Line;

static Line line_at(const char *text) {
  const char *end = strchr(text, '\n');
  return (Line){text, end ? (size_t)(end - text) + 1 : strlen(text)};
}

static bool is_definition(Line line) {
  return line.length >= sizeof definition && line.text[line.length - 1] == '\n' &&
         strncmp(line.text, definition, sizeof definition - 1) == 0;
}

static int compare_lines(const void *a, const void *b) {
  const Line *x = a, *y = b;
  size_t shorter = x->length < y->length ? x->length : y->length;
  int order = memcmp(x->text, y->text, shorter);
  return order ? order : (x->length > y->length) - (x->length < y->length);
}

static Line *find_sorted(const char *text, size_t *count) {
  Line *lines = NULL;
  size_t capacity = 0;
  *count = 0;
  for (Line line = line_at(text); line.length; line = line_at(line.text + line.length)) {
    if (!is_definition(line)) continue;
    GROW(lines, *count, capacity);
    lines[(*count)++] = line;
  }
  if (*count) qsort(lines, *count, sizeof *lines, compare_lines);
  return lines;
}

void ptx_order_print(const char *text, FILE *file) {
  size_t count, next = 0;
  Line *sorted = find_sorted(text, &count);
  for (Line line = line_at(text); line.length; line = line_at(line.text + line.length)) {
    Line chosen = is_definition(line) ? sorted[next++] : line;
    fwrite(chosen.text, 1, chosen.length, file);
  }
  memory_free(sorted);
}
