// SPDX-License-Identifier: MIT
// Splits a line into words as a shell does: separated by blanks, quoted by '...' and
// "...", with \ before a single character.
#ifndef BASE_TEXT_SHELL_WORDS_H
#define BASE_TEXT_SHELL_WORDS_H

#include "base/arena.h"
#include "base/error.h"

// NULL if there are none.
const char *shell_join(Arena *arena, char *const *words);
// *words is NULL-terminated.
Status shell_split(Arena *arena, const char *text, char ***words, Error *err);

#endif
