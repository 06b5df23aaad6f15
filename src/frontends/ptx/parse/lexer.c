// SPDX-License-Identifier: MIT
// Splits PTX text into tokens.
//
// Characters are not classified by ctype.h, because its result depends on the locale.
#include "frontends/ptx/parse/lexer.h"

#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name_part(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

bool lexer_is_name_start(char c) {
  return is_letter(c) || c == '_' || c == '$' || c == '%';
}

static int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

static void next_line(Lexer *lexer) {
  lexer->line++;
  lexer->line_start = lexer->at;
}

static void skip_line(Lexer *lexer) {
  while (*lexer->at && *lexer->at != '\n') lexer->at++;
}

// Returns false without advancing if the comment is unterminated.
static bool skip_comment(Lexer *lexer) {
  Lexer before = *lexer;
  lexer->at += 2;
  while (*lexer->at && !(lexer->at[0] == '*' && lexer->at[1] == '/'))
    if (*lexer->at++ == '\n') next_line(lexer);
  bool ends = *lexer->at;
  if (ends)
    lexer->at += 2;
  else
    *lexer = before;
  return ends;
}

// Returns false at an unterminated comment.
// A line that starts with @@ is a DWARF directive of old compilers.
static bool skip_space(Lexer *lexer) {
  for (;;) {
    const char *at = lexer->at;
    if (*at == '\n') {
      lexer->at++;
      next_line(lexer);
    } else if (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\f' || *at == '\v') {
      lexer->at++;
    } else if (at[0] == '/' && at[1] == '/') {
      skip_line(lexer);
    } else if (at[0] == '@' && at[1] == '@') {
      skip_line(lexer);
    } else if (at[0] == '/' && at[1] == '*') {
      if (!skip_comment(lexer)) return false;
    } else {
      return true;
    }
  }
}

static void finish(Lexer *lexer, int kind) {
  lexer->token.kind = kind;
  lexer->token.length = (uint32_t)(lexer->at - lexer->token.start);
}

static void fail(Lexer *lexer, const char *problem) {
  finish(lexer, TOKEN_BAD);
  lexer->token.problem = problem;
}

static void read_name(Lexer *lexer) {
  lexer->at++;
  while (is_name_part(*lexer->at)) lexer->at++;
  finish(lexer, TOKEN_NAME);
}

// `.shared::cta` and `.L2::cache_hint` are single tokens.
static void read_dotted(Lexer *lexer) {
  const char *at = ++lexer->at;
  lexer->token.start = at;
  while (is_name_part(*at) || (at[0] == ':' && at[1] == ':' && is_name_part(at[2])))
    at += *at == ':' ? 3 : 1;
  lexer->at = at;
  if (at == lexer->token.start)
    fail(lexer, "expected a word after the dot");
  else
    finish(lexer, TOKEN_DOTTED);
}

static void read_string(Lexer *lexer) {
  lexer->token.start = ++lexer->at;
  while (*lexer->at && *lexer->at != '"' && *lexer->at != '\n')
    lexer->at += lexer->at[0] == '\\' && lexer->at[1] && lexer->at[1] != '\n' ? 2 : 1;
  if (*lexer->at != '"') {
    fail(lexer, "unterminated string");
    return;
  }
  finish(lexer, TOKEN_STRING);
  lexer->at++;
}

// Hexadecimal digits of a float after 0f or 0d.
static void read_float_bits(Lexer *lexer, int digits, int kind) {
  lexer->at += 2;
  uint64_t bits = 0;
  int count = 0;
  for (; digit_value(*lexer->at) < 16; lexer->at++, count++)
    bits = bits << 4 | (uint64_t)digit_value(*lexer->at);
  lexer->token.bits = bits;
  if (count != digits || is_name_part(*lexer->at))
    fail(lexer, "a float needs 8 hexadecimal digits after 0f, or 16 after 0d");
  else
    finish(lexer, kind);
}

static void read_decimal_float(Lexer *lexer) {
  char *end;
  double value = strtod(lexer->token.start, &end);
  memcpy(&lexer->token.bits, &value, sizeof value);
  lexer->at = end;
  if (is_name_part(*end))
    fail(lexer, "malformed number");
  else
    finish(lexer, TOKEN_DOUBLE);
}

static bool is_decimal_float(const char *at) {
  while (is_digit(*at)) at++;
  return *at == '.' || *at == 'e' || *at == 'E';
}

static void read_integer(Lexer *lexer, uint64_t base) {
  uint64_t value = 0;
  bool overflow = false;
  const char *first = lexer->at;
  for (; (uint64_t)digit_value(*lexer->at) < base; lexer->at++) {
    uint64_t digit = (uint64_t)digit_value(*lexer->at);
    overflow |= value > (UINT64_MAX - digit) / base;
    value = value * base + digit;
  }
  bool empty = lexer->at == first;
  bool suffixed = *lexer->at == 'U';
  if (suffixed) lexer->at++;
  lexer->token.bits = value;
  lexer->token.is_unsigned = suffixed || value > INT64_MAX;
  if (empty || is_name_part(*lexer->at))
    fail(lexer, "malformed number");
  else if (overflow)
    fail(lexer, "the number does not fit in 64 bits");
  else
    finish(lexer, TOKEN_INTEGER);
}

// A leading 0 means octal, as in C. 0f and 0d give the encoding of a float, exactly.
static void read_number(Lexer *lexer) {
  const char *at = lexer->at;
  char second = at[0] == '0' ? at[1] : '\0';
  if (second == 'f' || second == 'F') {
    read_float_bits(lexer, 8, TOKEN_SINGLE);
  } else if (second == 'd' || second == 'D') {
    read_float_bits(lexer, 16, TOKEN_DOUBLE);
  } else if (second == 'x' || second == 'X') {
    lexer->at += 2;
    read_integer(lexer, 16);
  } else if (second == 'b' || second == 'B') {
    lexer->at += 2;
    read_integer(lexer, 2);
  } else if (is_decimal_float(at)) {
    read_decimal_float(lexer);
  } else {
    read_integer(lexer, is_digit(second) ? 8 : 10);
  }
}

static int double_operator(const char *at) {
  static const struct {
    char text[3];
    int kind;
  } operators[] = {
      {"<<", TOKEN_SHIFT_LEFT},    {">>", TOKEN_SHIFT_RIGHT}, {"<=", TOKEN_LESS_EQUAL},
      {">=", TOKEN_GREATER_EQUAL}, {"==", TOKEN_EQUAL},       {"!=", TOKEN_NOT_EQUAL},
      {"&&", TOKEN_AND_AND},       {"||", TOKEN_OR_OR},
  };
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
    if (at[0] == operators[i].text[0] && at[1] == operators[i].text[1]) return operators[i].kind;
  return 0;
}

static void read_operator(Lexer *lexer) {
  char c = *lexer->at;
  int kind = double_operator(lexer->at);
  lexer->at += kind ? 2 : 1;
  if (!kind && !strchr("()[]{}<>,;:=@+-*/%!~&|^?", c))
    fail(lexer, "unexpected character");
  else
    finish(lexer, kind ? kind : c);
}

void lexer_advance(Lexer *lexer) {
  bool comment_ends = skip_space(lexer);
  const char *at = lexer->at;
  lexer->token =
      (Token){.start = at, .position = {lexer->line, (uint32_t)(at - lexer->line_start) + 1}};
  if (!comment_ends)
    fail(lexer, "unterminated comment");
  else if (!*at)
    finish(lexer, TOKEN_END);
  else if (*at == '%' && !is_name_part(at[1]))
    read_operator(lexer);
  else if (lexer_is_name_start(*at))
    read_name(lexer);
  else if (is_digit(*at))
    read_number(lexer);
  else if (*at == '.')
    read_dotted(lexer);
  else if (*at == '"')
    read_string(lexer);
  else
    read_operator(lexer);
}

void lexer_init(Lexer *lexer, const char *text) {
  text = text_behind_mark(text);
  *lexer = (Lexer){.at = text, .line_start = text, .line = 1};
  lexer_advance(lexer);
}

// The grammar never needs more than one character of look-ahead: a colon after a label, a dot in
// a cast.
char lexer_peek(const Lexer *lexer) {
  Lexer ahead = *lexer;
  skip_space(&ahead);
  return *ahead.at;
}

bool lexer_skip_block(Lexer *lexer) {
  uint64_t depth = 1;
  while (depth && *lexer->at) {
    if (!skip_space(lexer)) return false;
    char c = *lexer->at;
    if (c == '"')
      read_string(lexer);
    else if (c)
      lexer->at++;
    if (c == '{') depth++;
    if (c == '}') depth--;
  }
  if (depth == 0) lexer_advance(lexer);
  return depth == 0;
}
