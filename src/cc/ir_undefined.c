// SPDX-License-Identifier: MIT
// Removes the mark `noundef` from lines of functions and calls.
#define _GNU_SOURCE  // memmem
#include "cc/ir_undefined.h"

#include "cc/span.h"

static const char MARK[] = " noundef";

enum { MAX_NAME = 8192 };

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

// Whether a line begins the definition of a kernel. `notes` is where metadata begins.
static bool is_kernel(Span line, const char *notes) {
  const char *name = begins(line, "define ") ? memchr(line.at, '@', line.length) : NULL;
  const char *open = name ? memchr(name, '(', (size_t)(line.at + line.length - name)) : NULL;
  if (!open) return false;
  char note[MAX_NAME];
  int length = snprintf(note, sizeof note, "%.*s, !\"kernel\"", (int)(open - name), name);
  return length < MAX_NAME && strstr(notes, note) != NULL;
}

// Whether a function without parameters is defined or called, such as those that read threadIdx.
static bool has_no_parameters(Span line) {
  const char *found = memmem(line.at, line.length, "()", 2);
  return found && found > line.at && found[-1] != ' ';
}

// Variables have strings in them, and no arguments.
static bool keeps_marks(Span line, const char *notes) {
  return begins(line, "@") || has_no_parameters(line) || (notes && is_kernel(line, notes));
}

void ir_undefined_print(const char *text, FILE *file) {
  const char *notes = strstr(text, "\n!");
  Span line;
  for (const char *at = text; *at; at += line.length) {
    line = line_at(at);
    if (keeps_marks(line, notes))
      fwrite(line.at, 1, line.length, file);
    else
      print_line(line, file);
  }
}
