// SPDX-License-Identifier: MIT
// Rewrites source that nvcc accepts and clang does not.
#include "cc/source_rewrite.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where in the program's functions a place of the text is.
typedef struct Nesting {
  int braces, parens;
  int device_braces;  // how many were open where a device function's body began; -1: outside
  bool is_device;     // __global__ or __device__ stood in this declaration
} Nesting;

enum { MOST_CONDITIONS = 64 };

typedef struct Scan {
  const char *text;
  size_t length, at;
  FILE *out;
  size_t copied;  // of the text, to `out`
  Nesting nesting;
  // At each #if that is open. The branches of a condition begin alike, so that
  // a brace that every one of them opens is counted once.
  Nesting before[MOST_CONDITIONS];
  int conditions;
  bool keeps_length;  // no launches in device code, spaces for words
  bool found;
} Scan;

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool follows(const Scan *scan, size_t at, const char *what) {
  size_t length = strlen(what);
  return at + length <= scan->length && memcmp(scan->text + at, what, length) == 0;
}

// Behind a literal of the form R"mark(...)mark", of which `at` is the quote.
static size_t skip_raw(const Scan *scan, size_t at) {
  const char *text = scan->text;
  size_t open = at + 1;
  while (open < scan->length && text[open] != '(' && text[open] != '\n') open++;
  size_t mark = open - at - 1;
  for (size_t i = open; i + mark + 1 < scan->length; i++)
    if (text[i] == ')' && memcmp(text + i + 1, text + at + 1, mark) == 0 &&
        text[i + 1 + mark] == '"')
      return i + mark + 2;
  return scan->length;
}

// Behind a comment or a literal that begins here; the same place if none does.
static size_t skip_opaque(const Scan *scan, size_t at) {
  const char *text = scan->text, *end = text + scan->length, *from = text + at;
  if (follows(scan, at, "//")) {
    const char *line = memchr(from, '\n', (size_t)(end - from));
    return line ? (size_t)(line - text) : scan->length;
  }
  if (follows(scan, at, "/*")) {
    size_t i = at + 2;
    while (i < scan->length && !follows(scan, i, "*/")) i++;
    return i < scan->length ? i + 2 : scan->length;
  }
  if (*from == '"' && at && text[at - 1] == 'R') return skip_raw(scan, at);
  if (*from != '"' && *from != '\'') return at;
  // 1'000'000 has no literal in it.
  if (*from == '\'' && at && isdigit((unsigned char)text[at - 1])) return at + 1;
  size_t i = at + 1;
  while (i < scan->length && text[i] != *from && text[i] != '\n') i += text[i] == '\\' ? 2 : 1;
  return i < scan->length ? i + 1 : scan->length;
}

static size_t back_over_space(const char *text, size_t at) {
  while (at && isspace((unsigned char)text[at - 1])) at--;
  return at;
}

// Where `name`, `space::name` or `name<arguments>` begins that ends before `end`.
static size_t callee_start(const char *text, size_t end) {
  size_t at = end;
  if (at && text[at - 1] == '>') {
    int open = 0;
    do {
      at--;
      open += text[at] == '>' ? 1 : text[at] == '<' ? -1 : 0;
    } while (at && open);
    at = back_over_space(text, at);
  }
  for (;;) {
    while (at && is_word(text[at - 1])) at--;
    if (at < 2 || text[at - 1] != ':' || text[at - 2] != ':') return at;
    at -= 2;
  }
}

// Length of the chevrons at this position, `<<<` or, as nvcc accepts, `<< <`; 0 if there are none.
static size_t chevrons_length(const Scan *scan, size_t at, char mark) {
  const char two[] = {mark, mark, 0};
  if (!follows(scan, at, two)) return 0;
  size_t third = at + 2;
  while (third < scan->length && isspace((unsigned char)scan->text[third])) third++;
  return third < scan->length && scan->text[third] == mark ? third + 1 - at : 0;
}

// Where the `>>>` is that ends the shape; length if nowhere.
static size_t shape_end(const Scan *scan, size_t at) {
  int open = 0;
  while (at < scan->length) {
    size_t behind = skip_opaque(scan, at);
    if (behind != at) {
      at = behind;
      continue;
    }
    char c = scan->text[at];
    open += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    if (!open && chevrons_length(scan, at, '>')) return at;
    if (c == ';') break;
    at++;
  }
  return scan->length;
}

static void copy_until(Scan *scan, size_t end) {
  fwrite(scan->text + scan->copied, 1, end - scan->copied, scan->out);
  scan->copied = end;
}

// Joins chevrons, followed by the line breaks between them, or all spaces.
static void join_chevrons(Scan *scan, size_t at, size_t length) {
  if (length == 3) return;
  copy_until(scan, at);
  fprintf(scan->out, "%c%c%c", scan->text[at], scan->text[at], scan->text[at]);
  for (size_t i = 2; i + 1 < length; i++)
    if (scan->keeps_length || scan->text[at + i] == '\n') fputc(scan->text[at + i], scan->out);
  scan->copied = at + length;
  scan->found = true;
}

// How many arguments stand in the parentheses behind a launch's shape.
static int count_arguments(const Scan *scan, size_t at) {
  while (at < scan->length && isspace((unsigned char)scan->text[at])) at++;
  int open = 0, commas = 0;
  bool any = false;
  while (at < scan->length) {
    size_t behind = skip_opaque(scan, at);
    char c = behind == at ? scan->text[at] : 0;
    bool closes = c == ')' || c == ']' || c == '}';
    if (closes && --open == 0) break;
    bool comment = behind != at && scan->text[at] == '/';
    any |= open && !comment && !isspace((unsigned char)c);
    open += c == '(' || c == '[' || c == '{';
    commas += c == ',' && open == 1;
    at = behind == at ? at + 1 : behind;
  }
  return any ? commas + 1 : 0;
}

static void rewrite_device_launch(Scan *scan, size_t shape, size_t end, size_t closing) {
  size_t name_end = back_over_space(scan->text, scan->at);
  size_t name = callee_start(scan->text, name_end);
  if (name == name_end || name < scan->copied) return;
  int name_length = (int)(name_end - name);
  const char *callee = scan->text + name;
  copy_until(scan, name);
  fprintf(scan->out,
          "({ struct heddle_child { using launcher = heddle::Launcher<"
          "decltype(heddle::kernel_of<%d>(&%.*s, 0)), (&%.*s)>; }; "
          "typename heddle_child::launcher(",
          count_arguments(scan, end + closing), name_length, callee, name_length, callee);
  scan->copied = shape;
  copy_until(scan, end);
  fputs("); })", scan->out);
  scan->copied = end + closing;
  scan->found = true;
}

static void read_launch(Scan *scan) {
  size_t opening = chevrons_length(scan, scan->at, '<'), shape = scan->at + opening;
  size_t end = shape_end(scan, shape), closing = chevrons_length(scan, end, '>');
  if (end == scan->length) {
    scan->at = shape;
    return;
  }
  if (scan->nesting.device_braces >= 0 && !scan->keeps_length) {
    rewrite_device_launch(scan, shape, end, closing);
  } else {
    join_chevrons(scan, scan->at, opening);
    join_chevrons(scan, end, closing);
  }
  scan->at = end + closing;
}

static bool is_same(const char *word, size_t length, const char *other) {
  return strlen(other) == length && memcmp(word, other, length) == 0;
}

// In __attribute__((__noinline__)), [[gnu::__noinline__]] and directives the
// word is none of CUDA's.
static bool is_specifier(const Scan *scan, size_t start) {
  size_t before = back_over_space(scan->text, start);
  char mark_before = before ? scan->text[before - 1] : 0;
  if (mark_before == '(' || mark_before == ',' || mark_before == ':') return false;
  size_t word = before;
  while (word && is_word(scan->text[word - 1])) word--;
  if (is_same(scan->text + word, before - word, "defined")) return false;
  size_t mark = back_over_space(scan->text, word);
  return !mark || scan->text[mark - 1] != '#';
}

// Behind white space and comments.
static size_t skip_space(const Scan *scan, size_t at) {
  for (;;) {
    while (at < scan->length && isspace((unsigned char)scan->text[at])) at++;
    if (!follows(scan, at, "//") && !follows(scan, at, "/*")) return at;
    at = skip_opaque(scan, at);
  }
}

// Whether literals of assembly have types of PTX in them. Outside of functions that are known
// to be the device's, as where a macro stands for __device__, this tells it from the host's.
static bool is_ptx(const Scan *scan, size_t at, size_t end) {
  static const char *const types[] = {".b8",  ".b16", ".b32", ".b64", ".u16", ".u32", ".u64",
                                      ".s32", ".s64", ".f16", ".f32", ".f64", ".pred"};
  for (; at < end; at++)
    for (size_t i = 0; scan->text[at] == '.' && i < sizeof types / sizeof *types; i++)
      if (follows(scan, at, types[i])) return true;
  return false;
}

// Doubles the marks of registers, such as %laneid, in a literal of assembly.
static void escape_registers(Scan *scan, size_t at, size_t end) {
  const char *text = scan->text;
  for (; at + 1 < end; at++) {
    if (text[at] != '%') continue;
    if (text[at + 1] == '%') {
      at++;
    } else if (isalpha((unsigned char)text[at + 1])) {
      copy_until(scan, at);
      fputc('%', scan->out);
      scan->found = true;
    }
  }
}

// asm volatile("..." "..." : operands): `at` is behind the first word. Without operands a mark
// needs no doubling.
static void read_assembly(Scan *scan, size_t at) {
  const char *text = scan->text;
  at = skip_space(scan, at);
  while (at < scan->length && is_word(text[at])) at++;
  at = skip_space(scan, at);
  if (at == scan->length || text[at] != '(') return;
  size_t first = skip_space(scan, at + 1), end = first;
  while (end < scan->length && text[end] == '"') end = skip_space(scan, skip_opaque(scan, end));
  if (end == scan->length || text[end] != ':') return;
  if (scan->nesting.device_braces < 0 && !is_ptx(scan, first, end)) return;
  for (at = first; at < end; at = skip_space(scan, at)) {
    size_t behind = skip_opaque(scan, at);
    escape_registers(scan, at, behind);
    at = behind;
  }
}

static bool is_assembly(const char *word, size_t length) {
  return is_same(word, length, "asm") || is_same(word, length, "__asm__") ||
         is_same(word, length, "__asm");
}

static void replace_word(Scan *scan, size_t start, const char *by) {
  copy_until(scan, start);
  fputs(by, scan->out);
  scan->copied = scan->at;
  scan->found = true;
}

// `__shared__ alignas(16)`: clang wants alignas to be first.
static bool is_late_alignment(const Scan *scan, size_t start) {
  size_t end = back_over_space(scan->text, start), begin = end;
  while (begin && is_word(scan->text[begin - 1])) begin--;
  return is_same(scan->text + begin, end - begin, "__shared__");
}

static void read_word(Scan *scan) {
  size_t start = scan->at;
  while (scan->at < scan->length && is_word(scan->text[scan->at])) scan->at++;
  size_t length = scan->at - start;
  const char *word = scan->text + start;
  if (is_same(word, length, "__global__") || is_same(word, length, "__device__"))
    scan->nesting.is_device = true;
  if (is_assembly(word, length) && !scan->keeps_length) read_assembly(scan, scan->at);
  if (is_same(word, length, "__noinline__") && is_specifier(scan, start))
    replace_word(scan, start, scan->keeps_length ? "            " : "__attribute__((noinline))");
  if (is_same(word, length, "alignas") && is_late_alignment(scan, start) && !scan->keeps_length)
    replace_word(scan, start, "__align__");
}

static bool begins_line(const Scan *scan, size_t at) {
  while (at && (scan->text[at - 1] == ' ' || scan->text[at - 1] == '\t')) at--;
  return !at || scan->text[at - 1] == '\n';
}

// #if, #else and #endif, of which `at` is the mark.
static void read_directive(Scan *scan) {
  scan->at++;
  while (scan->at < scan->length && (scan->text[scan->at] == ' ' || scan->text[scan->at] == '\t'))
    scan->at++;
  if (follows(scan, scan->at, "if")) {
    if (scan->conditions < MOST_CONDITIONS) scan->before[scan->conditions] = scan->nesting;
    scan->conditions++;
  } else if (follows(scan, scan->at, "el") && scan->conditions) {
    if (scan->conditions <= MOST_CONDITIONS) scan->nesting = scan->before[scan->conditions - 1];
  } else if (follows(scan, scan->at, "endif") && scan->conditions) {
    scan->conditions--;
  }
}

// A declaration's body begins or ends, or the declaration does.
static void read_mark(Scan *scan) {
  char c = scan->text[scan->at++];
  scan->nesting.parens += c == '(' ? 1 : c == ')' ? -1 : 0;
  if (c == '{') {
    if (scan->nesting.is_device && scan->nesting.device_braces < 0)
      scan->nesting.device_braces = scan->nesting.braces;
    scan->nesting.is_device = false;
    scan->nesting.braces++;
  } else if (c == '}') {
    scan->nesting.braces--;
    if (scan->nesting.braces == scan->nesting.device_braces) scan->nesting.device_braces = -1;
    scan->nesting.is_device = false;
  } else if (c == ';' && !scan->nesting.parens) {
    scan->nesting.is_device = false;
  }
}

static void read_next(Scan *scan) {
  size_t behind = skip_opaque(scan, scan->at);
  if (behind != scan->at)
    scan->at = behind;
  else if (is_word(scan->text[scan->at]))
    read_word(scan);
  else if (chevrons_length(scan, scan->at, '<'))
    read_launch(scan);
  else if (scan->text[scan->at] == '#' && begins_line(scan, scan->at))
    read_directive(scan);
  else
    read_mark(scan);
}

static bool rewrite(Scan *scan, char **out, size_t *out_length) {
  *out = NULL;
  scan->nesting.device_braces = -1;
  scan->out = open_memstream(out, out_length);
  if (!scan->out) return false;
  while (scan->at < scan->length) read_next(scan);
  copy_until(scan, scan->length);
  fclose(scan->out);
  if (scan->found) return true;
  free(*out);
  *out = NULL;
  return false;
}

bool source_rewrite(const char *text, size_t length, char **out, size_t *out_length) {
  Scan scan = {.text = text, .length = length};
  return rewrite(&scan, out, out_length);
}

bool source_rewrite_in_place(const char *text, size_t length, char **out) {
  Scan scan = {.text = text, .length = length, .keeps_length = true};
  size_t out_length;
  return rewrite(&scan, out, &out_length);
}
