// SPDX-License-Identifier: MIT
// Cuts PTX into functions by its braces and directives.
#define _GNU_SOURCE  // memmem
#include "cc/ptx_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// ---- cutting

// Behind the line that begins here.
static const char *next_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? end + 1 : line + strlen(line);
}

static PtxSpan span(const char *from, const char *to) {
  return (PtxSpan){from, (size_t)(to - from)};
}

static bool begins(const char *line, const char *prefix) {
  return strncmp(line, prefix, strlen(prefix)) == 0;
}

// The first line, from here on, that begins with c; NULL: there is none. Assembly of the
// program may have braces anywhere.
static const char *find_line(const char *line, char c) {
  bool is_inline = false;
  while (*line && (is_inline || *line != c)) {
    if (begins(line, "\t// begin inline asm")) is_inline = true;
    if (begins(line, "\t// end inline asm")) is_inline = false;
    line = next_line(line);
  }
  return *line ? line : NULL;
}

// `.local .align 4 .b8 __local_depot0[288];`: clang puts all variables of a function in one.
static uint64_t count_local_bytes(PtxSpan body) {
  uint64_t bytes = 0;
  for (const char *line = body.at; line < body.at + body.length; line = next_line(line)) {
    if (!begins(line, "\t.local .align ")) continue;
    size_t name = strcspn(line, "[\n");
    if (line[name] == '[') bytes += strtoull(line + name + 1, NULL, 10);
  }
  return bytes;
}

// `.visible .entry name(` or `.func (.param .b32 result) name(`
static PtxSpan find_name(const char *head) {
  const char *at = strstr(head, ".func"), *entry = strstr(head, ".entry");
  if (!at || (entry && entry < at)) at = entry;
  at += strcspn(at, " \n");
  at += strspn(at, " ");
  if (*at == '(') at += strcspn(at, ")");
  at += strspn(at, ") ");
  return (PtxSpan){at, strcspn(at, "( \n")};
}

static bool is_head(const char *line, const char *keyword) {
  const char *found = strstr(line, keyword);
  return *line == '.' && found && found < next_line(line);
}

// Cuts off the head: from the last line that begins a function.
static void add_function(PtxText *it, PtxSpan before, PtxSpan body) {
  PtxFunctionText function = {.body = body, .local_bytes = count_local_bytes(body)};
  const char *head = before.at, *end = before.at + before.length;
  for (const char *line = before.at; line < end; line = next_line(line)) {
    bool is_kernel = is_head(line, ".entry ");
    if (!is_kernel && !is_head(line, ".func ")) continue;
    head = line;
    function.is_kernel = is_kernel;
    function.name = find_name(line);
  }
  function.before = span(before.at, head);
  function.head = span(head, end);
  it->functions = memory_resize(it->functions, sizeof *it->functions * (it->count + 1));
  it->functions[it->count++] = function;
}

void ptx_text_init(PtxText *it, const char *text) {
  *it = (PtxText){0};
  const char *open, *close, *rest = text;
  while ((open = find_line(rest, '{')) && (close = find_line(open, '}'))) {
    const char *after = next_line(close);
    add_function(it, span(rest, open), span(open, after));
    rest = after;
  }
  it->end = span(rest, rest + strlen(rest));
}

void ptx_text_clear(PtxText *it) {
  memory_free(it->functions);
  *it = (PtxText){0};
}

// ---- combining

uint64_t ptx_text_local_bytes(const PtxText *it) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < it->count; i++)
    if (it->functions[i].is_kernel) bytes += it->functions[i].local_bytes;
  return bytes;
}

static bool is_same(PtxSpan a, PtxSpan b) {
  return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

static const PtxFunctionText *find_function(const PtxText *it, PtxSpan head) {
  for (size_t i = 0; i < it->count; i++)
    if (is_same(it->functions[i].head, head)) return &it->functions[i];
  return NULL;
}

// The text between functions: part `count` is the end.
static PtxSpan part_of(const PtxText *it, size_t part) {
  return part < it->count ? it->functions[part].before : it->end;
}

// Declarations have a name in each line, or are punctuation.
static bool has_line(const PtxText *it, PtxSpan line) {
  for (size_t i = 0; i <= it->count; i++) {
    PtxSpan part = part_of(it, i);
    for (const char *at = part.at; at < part.at + part.length; at = next_line(at))
      if (is_same(span(at, next_line(at)), line)) return true;
  }
  return false;
}

static bool is_comment(const char *line) {
  line += strspn(line, " \t");
  return *line == '\n' || begins(line, "//");
}

// Whether all that `other` declares is declared here: in any order, as clang's is not always
// the same. What optimisation has removed may be missing there: initial values of an array.
static bool declares_all(const PtxText *it, const PtxText *other) {
  for (size_t i = 0; i <= other->count; i++) {
    PtxSpan part = part_of(other, i);
    for (const char *at = part.at; at < part.at + part.length; at = next_line(at))
      if (!is_comment(at) && !has_line(it, span(at, next_line(at)))) return false;
  }
  for (size_t i = 0; i < other->count; i++)
    if (!find_function(it, other->functions[i].head)) return false;
  return true;
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static bool mentions(PtxSpan body, PtxSpan name) {
  const char *end = body.at + body.length, *at = body.at;
  while (name.length && (at = memmem(at, (size_t)(end - at), name.at, name.length))) {
    if (!is_word(at[-1]) && !is_word(at[name.length])) return true;
    at += name.length;
  }
  return false;
}

// Whether a body of `other` calls functions that differ: a caller and the functions that are
// not inlined into it are optimised together, down to the parameters that it leaves out.
static bool calls_others(const PtxText *it, const PtxText *other, PtxSpan body) {
  for (size_t i = 0; i < other->count; i++) {
    const PtxFunctionText *callee = &other->functions[i];
    if (callee->is_kernel || !mentions(body, callee->name)) continue;
    if (!is_same(find_function(it, callee->head)->body, callee->body)) return true;
  }
  return false;
}

// The better body of a kernel, if declares_all; NULL: there is none.
static const PtxFunctionText *find_better(const PtxText *it, size_t f, const PtxText *other) {
  const PtxFunctionText *own = &it->functions[f];
  if (!own->is_kernel || own->local_bytes == 0) return NULL;
  const PtxFunctionText *found = find_function(other, own->head);
  bool is_better = found && found->local_bytes < own->local_bytes;
  return is_better && !calls_others(it, other, found->body) ? found : NULL;
}

bool ptx_text_can_improve(const PtxText *it, const PtxText *other) {
  if (!declares_all(it, other)) return false;
  for (size_t i = 0; i < it->count; i++)
    if (find_better(it, i, other)) return true;
  return false;
}

void ptx_text_improve(PtxText *it, const PtxText *other) {
  if (!declares_all(it, other)) return;
  for (size_t i = 0; i < it->count; i++) {
    const PtxFunctionText *better = find_better(it, i, other);
    if (!better) continue;
    it->functions[i].body = better->body;
    it->functions[i].local_bytes = better->local_bytes;
  }
}

static void print_span(PtxSpan text, FILE *file) {
  fwrite(text.at, 1, text.length, file);
}

void ptx_text_print(const PtxText *it, FILE *file) {
  for (size_t i = 0; i < it->count; i++) {
    print_span(it->functions[i].before, file);
    print_span(it->functions[i].head, file);
    print_span(it->functions[i].body, file);
  }
  print_span(it->end, file);
}
