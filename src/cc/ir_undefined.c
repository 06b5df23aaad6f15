// SPDX-License-Identifier: MIT
#define _GNU_SOURCE  // memmem
#include "cc/ir_undefined.h"

#include "cc/span.h"

static const char MARK[] = " noundef";

// Where the next mark is in a line; its end if there is none. Words may begin alike.
static const char *next_mark(const char *at, const char *end) {
  size_t length = sizeof MARK - 1;
  while ((at = memmem(at, (size_t)(end - at), MARK, length))) {
    at += length;
    if (at < end && (*at == ' ' || *at == ',' || *at == ')')) return at - length;
  }
  return end;
}

static void print_line(Span line, FILE *file) {
  const char *at = line.at, *end = line.at + line.length;
  while (at < end) {
    const char *mark = next_mark(at, end);
    fwrite(at, 1, (size_t)(mark - at), file);
    at = mark < end ? mark + sizeof MARK - 1 : end;
  }
}

void ir_undefined_print(const char *text, FILE *file) {
  Span line;
  for (const char *at = text; *at; at += line.length) {
    line = line_at(at);
    // Variables have strings in them, and no arguments.
    if (begins(line, "@"))
      fwrite(line.at, 1, line.length, file);
    else
      print_line(line, file);
  }
}
