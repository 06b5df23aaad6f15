// SPDX-License-Identifier: MIT
// Sorts the lines that define kernels' addresses; all other lines stay where they are.
#include "cc/ptx_order.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cc/span.h"

static const char definition[] = ".weak .global .align 8 .u64 _ZN6heddle14kernel_address";

static bool is_definition(Span line) {
  return begins(line, definition) && line.at[line.length - 1] == '\n';
}

static int compare_lines(const void *a, const void *b) {
  const Span *x = a, *y = b;
  size_t shorter = x->length < y->length ? x->length : y->length;
  int order = memcmp(x->at, y->at, shorter);
  return order ? order : (x->length > y->length) - (x->length < y->length);
}

static Span *find_sorted(const char *text, size_t *count) {
  Span *lines = NULL;
  size_t capacity = 0;
  *count = 0;
  for (Span line = line_at(text); line.length; line = line_at(line.at + line.length)) {
    if (!is_definition(line)) continue;
    GROW(lines, *count, capacity);
    lines[(*count)++] = line;
  }
  if (*count) qsort(lines, *count, sizeof *lines, compare_lines);
  return lines;
}

void ptx_order_print(const char *text, FILE *file) {
  size_t count, next = 0;
  Span *sorted = find_sorted(text, &count);
  for (Span line = line_at(text); line.length; line = line_at(line.at + line.length)) {
    Span chosen = is_definition(line) ? sorted[next++] : line;
    fwrite(chosen.at, 1, chosen.length, file);
  }
  memory_free(sorted);
}
