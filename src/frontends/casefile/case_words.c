// SPDX-License-Identifier: MIT
// Splits lines of a case file into words, and parses numbers.
#include "frontends/casefile/case_words.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

Status case_words_split(CaseWords *words, const char *line, size_t length) {
  words->count = 0;
  for (size_t at = 0; at < length;) {
    if (is_blank(line[at])) {
      at++;
      continue;
    }
    if (line[at] == '#') break;
    size_t start = at;
    while (at < length && !is_blank(line[at])) at++;
    uint32_t column = (uint32_t)start + 1;
    if (words->count == CASE_MAX_WORDS)
      return CASE_FAIL_AT(words, column, "too many words on one line");
    if (memchr(line + start, '\0', at - start)) return CASE_FAIL_AT(words, column, "a NUL byte");
    const char *text = arena_strndup(words->arena, line + start, at - start);
    words->word[words->count++] = (CaseWord){text, column};
  }
  return OK;
}

Status case_words_want(const CaseWords *words, uint32_t count) {
  if (words->count == count + 1) return OK;
  if (words->count > count + 1)
    return CASE_FAIL(words, count + 1, "unexpected word; usage: %s", words->usage);
  const CaseWord *last = &words->word[words->count - 1];
  return CASE_FAIL_AT(words, last->column + (uint32_t)strlen(last->text), "missing word; usage: %s",
                      words->usage);
}

bool case_parse_integer(const char *text, CaseInteger *integer) {
  integer->negative = *text == '-';
  const char *digits = text + (*text == '-' || *text == '+');
  bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  if (!isdigit((unsigned char)digits[0]) || (hex && !isxdigit((unsigned char)digits[2])))
    return false;
  char *end;
  errno = 0;
  uint64_t magnitude = strtoull(digits, &end, hex ? 16 : 10);
  if (*end || errno == ERANGE || (integer->negative && magnitude > 1ull << 63)) return false;
  integer->bits = integer->negative ? -magnitude : magnitude;
  return true;
}

Status case_words_count(const CaseWords *words, uint32_t index, uint64_t min, uint64_t max,
                        uint64_t *count) {
  CaseInteger integer;
  if (!case_parse_integer(words->word[index].text, &integer))
    return CASE_FAIL(words, index, "'%.40s' is not an integer", words->word[index].text);
  if (integer.negative || integer.bits < min || integer.bits > max)
    return CASE_FAIL(words, index, "%.40s is out of range %llu..%llu", words->word[index].text,
                     (unsigned long long)min, (unsigned long long)max);
  *count = integer.bits;
  return OK;
}

Status case_words_value(const CaseWords *words, uint32_t index, uint32_t bytes, uint64_t *bits) {
  CaseInteger integer;
  if (!case_parse_integer(words->word[index].text, &integer))
    return CASE_FAIL(words, index, "'%.40s' is not an integer", words->word[index].text);
  uint64_t most = (1ull << (8 * bytes)) - 1, least = (uint64_t)0 - (1ull << (8 * bytes - 1));
  if (integer.negative ? integer.bits < least : integer.bits > most)
    return CASE_FAIL(words, index, "%.40s does not fit in %u bits", words->word[index].text,
                     8 * bytes);
  *bits = integer.bits & most;
  return OK;
}

bool case_parse_float(const char *text, double *number) {
  char *end;
  *number = strtod(text, &end);
  return *text && !*end && !is_blank(*text);
}
