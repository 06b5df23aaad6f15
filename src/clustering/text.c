// SPDX-License-Identifier: MIT
// Steps through C++ text: over blanks, comments, literals, brackets and words.
#include "clustering/text.h"

#include <ctype.h>
#include <string.h>

// Letters outside ASCII are several bytes of UTF-8, all of them 0x80 or more.
bool text_is_word_byte(char byte) {
  return isalnum((unsigned char)byte) || byte == '_' || (unsigned char)byte >= 0x80;
}

static bool begins_with(const SourceFile *file, uint32_t at, const char *text) {
  return strncmp(file->text + at, text, strlen(text)) == 0;
}

static uint32_t find(const SourceFile *file, uint32_t at, const char *text) {
  const char *found = at < file->length ? strstr(file->text + at, text) : NULL;
  return found ? (uint32_t)(found - file->text) : (uint32_t)file->length;
}

static uint32_t end_of(const SourceFile *file, uint32_t at, uint32_t length) {
  return at + length < file->length ? at + length : (uint32_t)file->length;
}

uint32_t text_skip_space(const SourceFile *file, uint32_t at) {
  if (at == 0) at = source_line_begin(file, 0);  // after a byte-order mark
  for (;;) {
    if (at >= file->length) return (uint32_t)file->length;
    if (begins_with(file, at, "//"))
      at = find(file, at, "\n");
    else if (begins_with(file, at, "/*"))
      at = end_of(file, find(file, at + 2, "*/"), 2);
    else if (isspace((unsigned char)file->text[at]) || begins_with(file, at, "\\\n"))
      at++;
    else
      return at;
  }
}

static uint32_t skip_literal(const SourceFile *file, uint32_t at) {
  char quote = file->text[at++];
  while (at < file->length && file->text[at] != quote && file->text[at] != '\n')
    at += file->text[at] == '\\' ? 2 : 1;
  return end_of(file, at, 1);
}

// R"name( ... )name"
static uint32_t skip_raw_literal(const SourceFile *file, uint32_t at) {
  char close[32] = ")";
  size_t length = strcspn(file->text + at + 2, "(");
  if (length > sizeof close - 3) return end_of(file, at, 2);
  strncat(close, file->text + at + 2, length);
  strcat(close, "\"");
  return end_of(file, find(file, at, close), (uint32_t)strlen(close));
}

uint32_t text_skip_token(const SourceFile *file, uint32_t at) {
  if (at >= file->length) return (uint32_t)file->length;
  if (begins_with(file, at, "R\"")) return skip_raw_literal(file, at);
  if (file->text[at] == '"' || file->text[at] == '\'') return skip_literal(file, at);
  if (!text_is_word_byte(file->text[at])) return at + 1;
  // A quote within a number separates digits.
  bool is_number = isdigit((unsigned char)file->text[at]) != 0;
  while (text_is_word_byte(file->text[at]) || (is_number && file->text[at] == '\'')) at++;
  return at;
}

uint32_t text_skip_brackets(const SourceFile *file, uint32_t at) {
  bool is_angle = file->text[at] == '<';
  uint32_t depth = 0, angles = 0;
  do {
    switch (file->text[at]) {
      case '(':
      case '[':
      case '{': depth++; break;
      case ')':
      case ']':
      case '}': depth -= depth > 0; break;
      case '<': angles += is_angle && depth == 0; break;
      case '>': angles -= is_angle && depth == 0; break;
      default: break;
    }
    at = text_skip_token(file, at);
    if (depth == 0 && angles == 0) return at;
    at = text_skip_space(file, at);
  } while (at < file->length);
  return (uint32_t)file->length;
}

// Behind the name of a function: a word, or operator().
static uint32_t skip_name(const SourceFile *file, uint32_t name_at) {
  uint32_t at = text_skip_space(file, text_skip_token(file, name_at));
  if (!text_has_word_at(file, name_at, "operator") || file->text[at] != '(') return at;
  uint32_t close = text_skip_space(file, at + 1);
  return file->text[close] == ')' ? text_skip_space(file, close + 1) : at;
}

uint32_t text_find_parameters(const SourceFile *file, uint32_t name_at) {
  uint32_t at = skip_name(file, name_at);
  if (at < file->length && file->text[at] == '<')
    at = text_skip_space(file, text_skip_brackets(file, at));
  return at;
}

bool text_has_word_at(const SourceFile *file, uint32_t at, const char *word) {
  return begins_with(file, at, word) && !text_is_word_byte(file->text[at + strlen(word)]) &&
         (at == 0 || !text_is_word_byte(file->text[at - 1]));
}

bool text_find_word(const SourceFile *file, uint32_t begin, uint32_t end, const char *word,
                    uint32_t *at) {
  for (uint32_t i = text_skip_space(file, begin); i < end;) {
    if (text_has_word_at(file, i, word)) {
      if (at) *at = i;
      return true;
    }
    i = text_skip_space(file, text_skip_token(file, i));
  }
  return false;
}

const char *text_piece(const SourceFile *file, Arena *arena, uint32_t begin, uint32_t end) {
  return arena_strndup(arena, file->text + begin, end - begin);
}
