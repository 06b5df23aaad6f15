// SPDX-License-Identifier: MIT
// Reads the lines of a study file: sections, keys, continuation lines.
#include "study/sections.h"

#include <jansson.h>
#include <string.h>

enum { LONGEST_VALUE = 1 << 14 };

typedef struct Reader {
  Arena *arena;
  const char *source;
  SectionLineFn on_line;
  void *self;
  SectionLine pending;  // its value may go on; no key: nothing is pending
  unsigned line;
} Reader;

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

static const char *trimmed(Arena *arena, const char *first, const char *last) {
  while (first < last && is_blank(*first)) first++;
  while (last > first && is_blank(last[-1])) last--;
  return arena_strndup(arena, first, (size_t)(last - first));
}

static Status deliver_pending(Reader *reader, Error *err) {
  if (!reader->pending.key) return OK;
  Status status = reader->on_line(reader->self, &reader->pending, err);
  reader->pending.key = NULL;
  return status == OK ? OK : error_prefix(err, "%s:%u", reader->source, reader->pending.line);
}

static Status fail_here(const Reader *reader, const char *what, Error *err) {
  return error_set(err, ERR_SYNTAX, "%s:%u: %s", reader->source, reader->line, what);
}

static Status take_heading(Reader *reader, const char *first, const char *last, Error *err) {
  const char *close = memchr(first, ']', (size_t)(last - first));
  if (!close || *trimmed(reader->arena, close + 1, last))
    return fail_here(reader, "invalid section; expected [kind] or [kind name]", err);
  const char *kind = first + 1, *end = kind;
  while (end < close && !is_blank(*end)) end++;
  reader->pending.kind = trimmed(reader->arena, kind, end);
  reader->pending.name = trimmed(reader->arena, end, close);
  return OK;
}

static Status take_key(Reader *reader, const char *first, const char *last, Error *err) {
  const char *equals = memchr(first, '=', (size_t)(last - first));
  if (!reader->pending.kind) return fail_here(reader, "text before the first [section]", err);
  if (!equals || equals == first) return fail_here(reader, "expected `key = value`", err);
  reader->pending.key = trimmed(reader->arena, first, equals);
  reader->pending.value = trimmed(reader->arena, equals + 1, last);
  reader->pending.line = reader->line;
  return OK;
}

// A comment ends a line; so does its end.
static const char *without_comment(const char *first, const char *last) {
  for (const char *at = first; at < last; at++)
    if (*at == '#' && (at == first || is_blank(at[-1]))) return at;
  return last;
}

static Status take_line(Reader *reader, const char *first, const char *last, Error *err) {
  last = without_comment(first, last);
  const char *text = trimmed(reader->arena, first, last);
  if (!*text) return OK;
  if (is_blank(*first) && reader->pending.key) {
    if (strlen(reader->pending.value) > LONGEST_VALUE)
      return fail_here(reader, "value too long", err);
    reader->pending.value = arena_printf(reader->arena, "%s %s", reader->pending.value, text);
    return OK;
  }
  TRY(deliver_pending(reader, err));
  while (first < last && is_blank(*first)) first++;
  return *first == '[' ? take_heading(reader, first, last, err)
                       : take_key(reader, first, last, err);
}

bool sections_is_utf8(const char *bytes, size_t length) {
  json_t *string = json_stringn(bytes, length);
  bool is_valid = string != NULL;
  json_decref(string);
  return is_valid;
}

Status sections_read(Arena *arena, const char *source, const char *text, SectionLineFn on_line,
                     void *self, Error *err) {
  Reader reader = {.arena = arena, .source = source, .on_line = on_line, .self = self};
  for (const char *at = text; *at;) {
    const char *end = at + strcspn(at, "\n");
    reader.line++;
    if (!sections_is_utf8(at, (size_t)(end - at))) return fail_here(&reader, "not UTF-8 text", err);
    TRY(take_line(&reader, at, end, err));
    at = end + (*end == '\n');
  }
  return deliver_pending(&reader, err);
}
