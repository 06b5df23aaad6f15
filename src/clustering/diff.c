// SPDX-License-Identifier: MIT
// The edits determine the changed lines, so no comparison is needed: a hunk is a run of
// edits whose lines are at most two contexts apart.
#include "clustering/diff.h"

#include <string.h>

enum { CONTEXT = 3 };

typedef struct Lines {
  uint32_t begin, end;  // bytes: whole lines
} Lines;

static uint32_t next_line(const SourceFile *file, uint32_t at) {
  uint32_t end = source_line_end(file, at);
  return end < file->length ? end + 1 : end;
}

// The lines that an edit touches. One that inserts whole lines touches none.
static Lines touched(const SourceFile *file, const Edit *edit) {
  Lines lines = {.begin = source_line_begin(file, edit->begin)};
  size_t length = strlen(edit->text);
  bool adds_lines = edit->begin == edit->end && edit->begin == lines.begin && length &&
                    edit->text[length - 1] == '\n';
  lines.end = adds_lines ? lines.begin
                         : next_line(file, edit->end > edit->begin ? edit->end - 1 : edit->end);
  return lines;
}

static Lines with_context(const SourceFile *file, Lines lines) {
  for (int i = 0; i < CONTEXT && lines.begin > 0; i++)
    lines.begin = source_line_begin(file, lines.begin - 1);
  for (int i = 0; i < CONTEXT && lines.end < file->length; i++)
    lines.end = next_line(file, lines.end);
  return lines;
}

static int count_lines(const char *text, size_t length) {
  int count = 0;
  for (size_t i = 0; i < length; i++) count += text[i] == '\n';
  return count + (length > 0 && text[length - 1] != '\n');
}

static void print_lines(char mark, const char *text, size_t length, FILE *out) {
  while (length > 0) {
    const char *newline = memchr(text, '\n', length);
    size_t line = newline ? (size_t)(newline - text) + 1 : length;
    fprintf(out, "%c%.*s%s", mark, (int)line, text,
            newline ? "" : "\n\\ No newline at end of file\n");
    text += line;
    length -= line;
  }
}

// The new text of some lines, which hold the edits [first, end).
static char *changed_text(const SourceFile *file, Arena *arena, Lines lines, int first, int end,
                          size_t *length) {
  Edits part = {0};
  char *result;
  uint32_t conflict;
  for (int i = first; i < end; i++) {
    const Edit *edit = &file->edits.items[i];
    edits_replace(&part, edit->begin - lines.begin, edit->end - lines.begin, edit->text);
  }
  edits_apply(&part, arena, file->text + lines.begin, lines.end - lines.begin, &result, length,
              &conflict);
  edits_clear(&part);
  return result;
}

// Edits from `first` with adjacent lines; sets *end past the last.
static Lines block_of(const SourceFile *file, int first, int *end) {
  Lines block = touched(file, &file->edits.items[first]);
  for (*end = first + 1; *end < file->edits.count; (*end)++) {
    Lines more = touched(file, &file->edits.items[*end]);
    if (more.begin > block.end ||
        (more.begin == block.end && more.begin == more.end && block.end > block.begin))
      break;
    if (more.begin == block.end && block.begin == block.end && more.end > more.begin) break;
    if (more.end > block.end) block.end = more.end;
  }
  return block;
}

static void print_hunk_body(const SourceFile *file, Arena *arena, Lines around, int first, int end,
                            FILE *out) {
  uint32_t at = around.begin;
  for (int i = first, next; i < end; i = next) {
    Lines block = block_of(file, i, &next);
    size_t length;
    char *changed = changed_text(file, arena, block, i, next, &length);
    print_lines(' ', file->text + at, block.begin - at, out);
    print_lines('-', file->text + block.begin, block.end - block.begin, out);
    print_lines('+', changed, length, out);
    at = block.end;
  }
  print_lines(' ', file->text + at, around.end - at, out);
}

void diff_print(const SourceFile *file, const char *new_name, FILE *out) {
  Arena arena = {0};
  int shift = 0;
  fprintf(out, "--- %s\n+++ %s\n", file->path, new_name);
  for (int first = 0, end; first < file->edits.count; first = end) {
    Lines around = with_context(file, touched(file, &file->edits.items[first]));
    for (end = first + 1; end < file->edits.count; end++) {
      Lines more = with_context(file, touched(file, &file->edits.items[end]));
      if (more.begin > around.end) break;
      if (more.end > around.end) around.end = more.end;
    }
    size_t length;
    char *changed = changed_text(file, &arena, around, first, end, &length);
    int old_count = count_lines(file->text + around.begin, around.end - around.begin);
    int new_count = count_lines(changed, length);
    int line = (int)source_line(file, around.begin);
    fprintf(out, "@@ -%d,%d +%d,%d @@\n", line, old_count, line + shift, new_count);
    print_hunk_body(file, &arena, around, first, end, out);
    shift += new_count - old_count;
  }
  arena_clear(&arena);
}
