// SPDX-License-Identifier: MIT
// Splits PTX text into tokens, one at a time.
//
// Comments and the @@DWARF lines of old compilers are skipped. A Lexer is a
// small value: copy it to look ahead.
#ifndef FRONTENDS_PTX_PARSE_LEXER_H
#define FRONTENDS_PTX_PARSE_LEXER_H

#include "frontends/ptx/parse/syntax.h"

// Single characters of punctuation are their own kind.
typedef enum TokenKind {
  TOKEN_END = 256,
  TOKEN_BAD,      // problem holds the reason
  TOKEN_NAME,     // %r1, $L__BB0_1, add
  TOKEN_DOTTED,   // .global, .1d, .L2::128B: start and length exclude the dot
  TOKEN_INTEGER,  // bits; is_unsigned with suffix U, or if it needs all 64 bits
  TOKEN_SINGLE,   // 0f3F800000: bits of a float
  TOKEN_DOUBLE,   // 0d... and decimal fractions: bits of a double
  TOKEN_STRING,   // start and length exclude the quotes
  TOKEN_SHIFT_LEFT,
  TOKEN_SHIFT_RIGHT,
  TOKEN_LESS_EQUAL,
  TOKEN_GREATER_EQUAL,
  TOKEN_EQUAL,
  TOKEN_NOT_EQUAL,
  TOKEN_AND_AND,
  TOKEN_OR_OR,
} TokenKind;

typedef struct Token {
  int kind;  // TokenKind or a character
  bool is_unsigned;
  uint32_t length;
  const char *start;
  uint64_t bits;
  const char *problem;
  PtxPosition position;
} Token;

typedef struct Lexer {
  const char *at, *line_start;
  uint32_t line;
  Token token;  // the current one
} Lexer;

// text is NUL-terminated, without embedded NULs. Makes the first token current.
void lexer_init(Lexer *lexer, const char *text);
void lexer_advance(Lexer *lexer);

// Returns the first character after the current token that is neither white
// space nor part of a comment; NUL at the end.
char lexer_peek(const Lexer *lexer);

// Skips to the token after the } that matches the current {, ignoring
// everything in between. Returns false if there is no such brace.
bool lexer_skip_block(Lexer *lexer);

bool lexer_is_name_start(char c);

#endif
