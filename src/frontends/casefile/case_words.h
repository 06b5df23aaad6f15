// SPDX-License-Identifier: MIT
// Splits lines of a case file into words, and parses numbers. Errors include the line,
// the column and the usage of the command.
#ifndef FRONTENDS_CASEFILE_CASE_WORDS_H
#define FRONTENDS_CASEFILE_CASE_WORDS_H

#include "frontends/casefile/case.h"

enum { CASE_MAX_ARGUMENTS = 1024, CASE_MAX_WORDS = CASE_MAX_ARGUMENTS + 8 };

typedef struct CaseWord {
  const char *text;
  uint32_t column;
} CaseWord;

typedef struct CaseWords {
  const SourceText *source;
  Arena *arena;  // of the words
  Error *err;
  uint32_t line;
  CaseWord word[CASE_MAX_WORDS];
  uint32_t count;
  const char *usage;  // of the current command
} CaseWords;

#define CASE_FAIL_AT(words, column, ...) \
  source_error((words)->source, (words)->err, ERR_SYNTAX, (words)->line, (column), __VA_ARGS__)
// At the word of that index.
#define CASE_FAIL(words, index, ...) CASE_FAIL_AT(words, (words)->word[index].column, __VA_ARGS__)

// Splits a line, without its line end, at blanks, up to a '#'.
Status case_words_split(CaseWords *words, const char *line, size_t length);
// Checks that exactly `count` words follow the command's name.
Status case_words_want(const CaseWords *words, uint32_t count);

// Parses an integer in min..max.
Status case_words_count(const CaseWords *words, uint32_t index, uint64_t min, uint64_t max,
                        uint64_t *count);
// Parses a signed or unsigned integer that fits in `bytes`.
Status case_words_value(const CaseWords *words, uint32_t index, uint32_t bytes, uint64_t *bits);

typedef struct CaseInteger {
  uint64_t bits;  // two's complement
  bool negative;
} CaseInteger;

// Parses the whole text as decimal or 0x hexadecimal; false if malformed.
bool case_parse_integer(const char *text, CaseInteger *integer);
bool case_parse_float(const char *text, double *number);

#endif
