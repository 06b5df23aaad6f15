// SPDX-License-Identifier: MIT
// Demangles the name of a C++ function: _Z6reduceIfLi256EEvPKT_PS0_j in executables and PTX
// becomes reduce<float, 256> (Itanium C++ ABI, section 5.1).
#include "base/text/readable_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MAX_TEXT = 100, MAX_PARTS = 32, MAX_DEPTH = 8 };

// A substitution S_, S0_ ... always repeats a contiguous part of the text.
typedef struct Part {
  uint32_t start, end;
} Part;

typedef struct Reader {
  const char *at;  // unread part
  char text[MAX_TEXT];
  uint32_t length;
  Part parts[MAX_PARTS];
  uint32_t part_count;
  int depth;
} Reader;

static bool put(Reader *reader, const char *text, size_t length) {
  if (length >= MAX_TEXT - reader->length) return false;
  memmove(reader->text + reader->length, text, length);
  reader->length += (uint32_t)length;
  return true;
}

static bool put_text(Reader *reader, const char *text) {
  return put(reader, text, strlen(text));
}

static bool take(Reader *reader, char mark) {
  if (*reader->at != mark) return false;
  reader->at++;
  return true;
}

static void remember(Reader *reader, uint32_t start) {
  if (reader->part_count < MAX_PARTS)
    reader->parts[reader->part_count] = (Part){start, reader->length};
  reader->part_count++;
}

// 6reduce, with :: before it unless it is the first. Nameless namespaces are
// called _GLOBAL__N_1 by clang, _GLOBAL__N__ and a digest by nvcc.
static bool read_identifier(Reader *reader, uint32_t start) {
  static const char nameless[] = "_GLOBAL__N_";
  size_t length = 0;
  while (isdigit((unsigned char)*reader->at) && length < MAX_TEXT * MAX_TEXT)
    length = length * 10 + (size_t)(*reader->at++ - '0');
  if (!length || strnlen(reader->at, length) < length) return false;
  const char *name = reader->at;
  reader->at += length;
  if (strncmp(name, nameless, sizeof nameless - 1) == 0) return true;
  return (reader->length == start || put_text(reader, "::")) && put(reader, name, length);
}

static const char *builtin_type(char mark) {
  switch (mark) {
    case 'v': return "void";
    case 'b': return "bool";
    case 'c': return "char";
    case 'a': return "signed char";
    case 'h': return "unsigned char";
    case 's': return "short";
    case 't': return "unsigned short";
    case 'i': return "int";
    case 'j': return "unsigned";
    case 'l': return "long";
    case 'm': return "unsigned long";
    case 'x': return "long long";
    case 'y': return "unsigned long long";
    case 'f': return "float";
    case 'd': return "double";
    default: return NULL;
  }
}

// S_ is the first part that may be repeated, S0_ the second, SZ_ the 37th.
static bool read_repetition(Reader *reader) {
  uint32_t index = 0;
  if (!take(reader, '_')) {
    for (; isdigit((unsigned char)*reader->at) || isupper((unsigned char)*reader->at); reader->at++)
      index =
          index * 36 + (uint32_t)(*reader->at <= '9' ? *reader->at - '0' : *reader->at - 'A' + 10);
    index++;
    if (!take(reader, '_')) return false;
  }
  if (index >= reader->part_count || index >= MAX_PARTS) return false;
  Part part = reader->parts[index];
  return part.start <= part.end && put(reader, reader->text + part.start, part.end - part.start);
}

static bool read_arguments(Reader *reader);

// N..E: names in names, each of which may be a template.
static bool read_nested(Reader *reader, uint32_t start) {
  while (*reader->at == 'K' || *reader->at == 'V') reader->at++;
  while (!take(reader, 'E')) {
    if (take(reader, 'S')) {
      if (reader->length != start ||
          !(take(reader, 't') ? put_text(reader, "std") : read_repetition(reader)))
        return false;
      continue;
    }
    if (!(take(reader, 'I') ? read_arguments(reader) : read_identifier(reader, start)))
      return false;
    if (*reader->at != 'E') remember(reader, start);
  }
  return true;
}

// A class, recorded as a part; so is the template that it may be instantiated from.
static bool read_class(Reader *reader) {
  uint32_t start = reader->length;
  bool is_nested = take(reader, 'N');
  if (is_nested ? !read_nested(reader, start) : !read_identifier(reader, start)) return false;
  remember(reader, start);
  if (is_nested || !take(reader, 'I')) return true;
  if (!read_arguments(reader)) return false;
  remember(reader, start);
  return true;
}

static bool read_plain_type(Reader *reader) {
  if (take(reader, 'S')) return read_repetition(reader);
  const char *builtin = builtin_type(*reader->at);
  if (!builtin) return read_class(reader);
  reader->at++;
  return put_text(reader, builtin);
}

static bool read_type(Reader *reader) {
  if (++reader->depth > MAX_DEPTH) return false;
  static const struct {
    char mark;
    const char *text;
  } kinds[] = {{'P', "*"}, {'R', "&"}, {'O', "&&"}, {'K', " const"}, {'V', " volatile"}};
  uint32_t start = reader->length;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (!take(reader, kinds[i].mark)) continue;
    if (!read_type(reader) || !put_text(reader, kinds[i].text)) return false;
    remember(reader, start);
    reader->depth--;
    return true;
  }
  reader->depth--;
  return read_plain_type(reader);
}

// L, a type, a number, E. The type is not written, so no later part can repeat it.
static bool read_literal(Reader *reader) {
  uint32_t start = reader->length, parts = reader->part_count;
  bool is_bool = *reader->at == 'b';
  if (!read_type(reader)) return false;
  reader->length = start;
  for (; parts < reader->part_count && parts < MAX_PARTS; parts++)
    reader->parts[parts] = (Part){1, 0};
  if (take(reader, 'n') && !put_text(reader, "-")) return false;
  const char *digits = reader->at;
  while (isdigit((unsigned char)*reader->at)) reader->at++;
  size_t length = (size_t)(reader->at - digits);
  if (!length || !take(reader, 'E')) return false;
  return is_bool ? put_text(reader, *digits == '1' ? "true" : "false")
                 : put(reader, digits, length);
}

// Behind I: arguments up to E. A pack, J..E, is written as its elements.
static bool read_list(Reader *reader, bool *first) {
  while (!take(reader, 'E')) {
    if (take(reader, 'J')) {
      if (++reader->depth > MAX_DEPTH || !read_list(reader, first)) return false;
      reader->depth--;
      continue;
    }
    if (!*first && !put_text(reader, ", ")) return false;
    *first = false;
    if (!(take(reader, 'L') ? read_literal(reader) : read_type(reader))) return false;
  }
  return true;
}

static bool read_arguments(Reader *reader) {
  bool first = true;
  if (++reader->depth > MAX_DEPTH) return false;
  if (!put_text(reader, "<") || !read_list(reader, &first)) return false;
  reader->depth--;
  return put_text(reader, ">");
}

// The arguments, or <...>.
static bool add_arguments(Reader *reader) {
  uint32_t start = reader->length;
  if (read_arguments(reader)) return true;
  reader->length = start;
  return put_text(reader, "<...>");
}

static bool read_function(Reader *reader) {
  if (!take(reader, 'N')) {
    take(reader, 'L');  // static
    if (!read_identifier(reader, 0)) return false;
    remember(reader, 0);
    return !take(reader, 'I') || add_arguments(reader);
  }
  while (isdigit((unsigned char)*reader->at)) {
    if (!read_identifier(reader, 0)) return false;
    remember(reader, 0);
  }
  if (!reader->length) return false;
  return take(reader, 'E') || (take(reader, 'I') && add_arguments(reader));
}

const char *readable_name(Arena *arena, const char *name) {
  if (strncmp(name, "_Z", 2) != 0) return name;
  Reader reader = {.at = name + 2};
  if (!read_function(&reader)) return name;
  return arena_strndup(arena, reader.text, reader.length);
}
