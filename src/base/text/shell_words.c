// SPDX-License-Identifier: MIT
// Splits a line into words by a shell's rules of blanks, quotes and backslashes, and joins words.
#include "base/text/shell_words.h"

#include <stdbool.h>
#include <string.h>

static const char *quoted(Arena *arena, const char *word) {
  if (*word && !strpbrk(word, " \t\n'\"\\$`&|;<>()*?[]#~")) return word;
  char *out = arena_alloc(arena, strlen(word) * 4 + 3), *to = out;
  *to++ = '\'';
  for (; *word; word++) {
    if (*word == '\'') {
      memcpy(to, "'\\''", 4);
      to += 4;
    } else {
      *to++ = *word;
    }
  }
  *to = '\'';
  return out;
}

const char *shell_join(Arena *arena, char *const *words) {
  const char *text = NULL;
  for (int i = 0; words && words[i]; i++)
    text =
        arena_printf(arena, "%s%s%s", text ? text : "", text ? " " : "", quoted(arena, words[i]));
  return text;
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

// One word; *at points to its first character.
static Status take_word(const char **at, char *to, Error *err) {
  char quote = 0;
  for (; **at && (quote || !is_blank(**at)); ++*at) {
    char c = **at;
    if (quote ? c == quote : c == '\'' || c == '"')
      quote = quote ? 0 : c;
    else if (c == '\\' && quote != '\'' && (*at)[1])
      *to++ = *++*at;
    else
      *to++ = c;
  }
  *to = '\0';
  return quote ? error_set(err, ERR_SYNTAX, "unterminated %c", quote) : OK;
}

Status shell_split(Arena *arena, const char *text, char ***words, Error *err) {
  size_t length = strlen(text), count = 0;
  *words = ARENA_ARRAY(arena, char *, length / 2 + 2);
  for (;;) {
    while (is_blank(*text)) text++;
    if (!*text) return OK;
    char *word = arena_alloc(arena, strlen(text) + 1);
    TRY(take_word(&text, word, err));
    (*words)[count++] = word;
  }
}
