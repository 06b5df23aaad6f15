// SPDX-License-Identifier: MIT
// Uses inih, which splits lines into sections, keys and values, but reports no line
// numbers and truncates long lines silently. Lines are therefore passed to it one at a
// time, counted, checked for length, and stripped of comments and indentation (which
// inih takes for a continued value).
#include "base/files/config_file.h"

#include <ini.h>
#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"

enum { FILE_LIMIT_BYTES = 1 << 20 };

typedef struct Reader {
  ConfigLineFn on_line;
  void *self;
  const char *name;
  const char *at, *end;
  uint32_t line;
  Error *err;
  Status status;  // of the first failure
} Reader;

static void fail_here(Reader *reader, Status status) {
  if (reader->status != OK) return;
  error_prefix(reader->err, "%s:%u", reader->name, reader->line);
  reader->status = status;
}

static int is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

// Removes indentation, comment and trailing blanks.
static void trim(const char **first, const char **last) {
  while (*first < *last && is_blank(**first)) ++*first;
  for (const char *at = *first; at < *last; at++)
    if (*at == '#' && (at == *first || is_blank(at[-1]))) *last = at;
  while (*last > *first && is_blank((*last)[-1])) --*last;
}

static void check_heading(Reader *reader, const char *line) {
  char section[64];
  const char *close = strchr(line, ']');
  if (!close || close[1] || (size_t)(close - line) > sizeof section) {
    fail_here(reader, error_set(reader->err, ERR_SYNTAX, "invalid section; expected [name]"));
    return;
  }
  snprintf(section, sizeof section, "%.*s", (int)(close - line - 1), line + 1);
  Status status = reader->on_line(reader->self, section, NULL, NULL, reader->err);
  if (status != OK) fail_here(reader, status);
}

// Called by inih for each line, in the manner of fgets.
static char *next_line(char *out, int size, void *user) {
  Reader *reader = user;
  if (reader->at >= reader->end || reader->status != OK) return NULL;
  const char *newline = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
  const char *first = reader->at, *last = newline ? newline : reader->end;
  reader->at = newline ? newline + 1 : reader->end;
  reader->line++;
  trim(&first, &last);
  size_t length = (size_t)(last - first);
  // Written again with a blank on either side of '=', it must still fit.
  if (length + 4 > (size_t)size) {
    fail_here(reader, error_set(reader->err, ERR_SYNTAX, "line too long"));
    return NULL;
  }
  memcpy(out, first, length);
  out[length] = '\0';
  if (out[0] == '[') check_heading(reader, out);
  strcpy(out + length, "\n");
  return out;
}

static int take_value(void *user, const char *section, const char *key, const char *value) {
  Reader *reader = user;
  if (reader->status != OK) return 0;
  Status status = reader->on_line(reader->self, section, key, value, reader->err);
  if (status != OK) fail_here(reader, status);
  return status == OK;
}

Status config_lines_read(const char *name, const char *text, size_t length, ConfigLineFn on_line,
                         void *self, Error *err) {
  Error unwanted;
  Reader reader = {.on_line = on_line,
                   .self = self,
                   .name = name,
                   .at = text,
                   .end = text + length,
                   .err = err ? err : &unwanted};
  if (memchr(text, '\0', length)) return error_set(err, ERR_SYNTAX, "%s: not a text file", name);
  int bad_line = ini_parse_stream(next_line, &reader, take_value, &reader);
  if (reader.status != OK) return reader.status;
  if (bad_line)
    return error_set(err, ERR_SYNTAX, "%s:%d: expected [section] or key = value", name, bad_line);
  return OK;
}

static Status set_param(void *self, const char *section, const char *key, const char *value,
                        Error *err) {
  const ParamSection *sections = self;
  if (!key) return param_check_section(sections, section, err);
  if (*section) return param_set(sections, section, key, value, err);
  return error_set(err, ERR_SYNTAX, "'%s' precedes the first [section]", key);
}

Status config_text_read(const ParamSection *sections, const char *name, const char *text,
                        size_t length, Error *err) {
  return config_lines_read(name, text, length, set_param, (void *)(size_t)sections, err);
}

Status config_file_read(const ParamSection *sections, const char *path, Error *err) {
  char *text;
  size_t length;
  TRY(file_read(path, FILE_LIMIT_BYTES, &text, &length, err));
  Status status = config_text_read(sections, path, text, length, err);
  memory_free(text);
  return status;
}
