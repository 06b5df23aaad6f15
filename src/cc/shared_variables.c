// SPDX-License-Identifier: MIT
// Rewrites __shared__ variables that clang refuses.
#include "cc/shared_variables.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char refusal[] = ": error: initialization is not supported for __shared__ variables";
static const char keyword[] = "__shared__";

// ---- clang's messages

static char *without_colours(const char *text) {
  char *plain = memory_alloc(strlen(text) + 1), *to = plain;
  for (const char *at = text; *at;) {
    if (at[0] == '\033' && at[1] == '[') {
      at += 2 + strspn(at + 2, "0123456789;");
      at += *at != '\0';
    } else {
      *to++ = *at++;
    }
  }
  return plain;
}

static bool is_known(const Words *places, const char *place, size_t length) {
  for (int i = 0; i < places->count; i++)
    if (strlen(places->items[i]) == length && memcmp(places->items[i], place, length) == 0)
      return true;
  return false;
}

int shared_variables_find(const char *messages, Words *places) {
  char *text = without_colours(messages);
  int before = places->count;
  for (const char *line = text; *line;) {
    size_t length = strcspn(line, "\n");
    const char *found = strstr(line, refusal);
    if (found && found < line + length && !is_known(places, line, (size_t)(found - line)))
      words_add(places, "%.*s", (int)(found - line), line);
    line += length + (line[length] == '\n');
  }
  memory_free(text);
  return places->count - before;
}

// ---- declarations

// A declaration `__shared__ type name dimensions, ...;`: offsets into the text.
typedef struct Declaration {
  size_t begin;  // of __shared__
  size_t end;    // of the semicolon
} Declaration;

typedef struct Name {
  size_t begin, end;
} Name;

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

// The offset of a line and a column, both from 1; `length` if there is none.
static size_t offset_of(const char *text, size_t length, size_t line, size_t column) {
  size_t at = 0;
  for (; line > 1 && at < length; line--) {
    const char *end = memchr(text + at, '\n', length - at);
    if (!end) return length;
    at = (size_t)(end - text) + 1;
  }
  return line == 1 && column && column <= length - at ? at + column - 1 : length;
}

// Finds the declaration around a name. Those with initialisers, which nvcc refuses as well,
// are left to clang; so are comments between its words.
static bool find_declaration(const char *text, size_t length, size_t name, Declaration *out) {
  size_t at = name, mark = strlen(keyword);
  while (at && !strchr(";{}", text[at - 1]) && memcmp(text + at, keyword, mark) != 0) at--;
  if (length - at < mark || memcmp(text + at, keyword, mark) != 0) return false;
  out->begin = at;
  for (at = name; at < length && text[at] != ';'; at++)
    if (strchr("={}", text[at])) return false;
  out->end = at;
  return at < length;
}

// `static` before the word, which a typedef cannot have.
static size_t storage_before(const char *text, size_t at) {
  size_t end = at;
  while (end && isspace((unsigned char)text[end - 1])) end--;
  size_t begin = end;
  while (begin && is_word(text[begin - 1])) begin--;
  bool is_static =
      end - begin == strlen("static") && memcmp(text + begin, "static", end - begin) == 0;
  return is_static ? begin : at;
}

// ---- the new text

typedef struct Rewriting {
  const char *text;
  size_t length, copied;  // copied: of the text, to `out`
  FILE *out;
} Rewriting;

static void copy_until(Rewriting *it, size_t end) {
  fwrite(it->text + it->copied, 1, end - it->copied, it->out);
  it->copied = end;
}

static void print_variable(Rewriting *it, const Name *name) {
  const char *word = it->text + name->begin;
  int length = (int)(name->end - name->begin);
  fprintf(it->out,
          " __shared__ heddle::Shared<heddle_type_%.*s> heddle_shared_%.*s;"
          " heddle_type_%.*s &%.*s = heddle_shared_%.*s.value;",
          length, word, length, word, length, word, length, word, length, word);
}

// Returns how many names the declaration has; 0 if it stays.
static size_t rewrite_declaration(Rewriting *it, const Name *names, size_t count) {
  Declaration whole;
  if (!find_declaration(it->text, it->length, names[0].begin, &whole)) return 0;
  size_t begin = storage_before(it->text, whole.begin), used = 0;
  if (begin < it->copied) return 0;
  copy_until(it, begin);
  fputs("typedef", it->out);
  it->copied = whole.begin + strlen(keyword);
  for (; used < count && names[used].begin < whole.end; used++) {
    copy_until(it, names[used].begin);
    fputs("heddle_type_", it->out);
  }
  copy_until(it, whole.end + 1);
  for (size_t i = 0; i < used; i++) print_variable(it, &names[i]);
  return used;
}

static int compare_names(const void *left, const void *right) {
  const Name *a = left, *b = right;
  return (a->begin > b->begin) - (a->begin < b->begin);
}

// The names of this file among the places. The caller frees.
static Name *names_of(const char *path, const char *text, size_t length, const Words *places,
                      size_t *count) {
  Name *names = memory_alloc(sizeof *names * ((size_t)places->count + 1));
  size_t path_length = strlen(path);
  *count = 0;
  for (int i = 0; i < places->count; i++) {
    unsigned line, column;
    const char *place = places->items[i];
    if (strncmp(place, path, path_length) != 0 ||
        sscanf(place + path_length, ":%u:%u", &line, &column) != 2)
      continue;
    size_t begin = offset_of(text, length, line, column), end = begin;
    while (end < length && is_word(text[end])) end++;
    if (end > begin) names[(*count)++] = (Name){begin, end};
  }
  qsort(names, *count, sizeof *names, compare_names);
  return names;
}

bool shared_variables_rewrite(const char *path, const char *text, size_t length,
                              const Words *places, char **out, size_t *out_length) {
  size_t count;
  bool found = false;
  *out = NULL;
  if (!places->count) return false;
  Rewriting it = {.text = text, .length = length, .out = open_memstream(out, out_length)};
  if (!it.out) return false;
  Name *names = names_of(path, text, length, places, &count);
  for (size_t i = 0; i < count;) {
    size_t used = rewrite_declaration(&it, &names[i], count - i);
    found |= used > 0;
    i += used ? used : 1;
  }
  copy_until(&it, length);
  fclose(it.out);
  memory_free(names);
  if (!found) {
    free(*out);
    *out = NULL;
  }
  return found;
}
