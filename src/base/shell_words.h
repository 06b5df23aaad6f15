// SPDX-License-Identifier: MIT
// Words in one line, as a shell takes them: blanks between them, '...' and "..."
// around what has blanks, \ before a single character.
#ifndef BASE_SHELL_WORDS_H
#define BASE_SHELL_WORDS_H

#include "base/arena.h"
#include "base/error.h"

// NULL if there are none.
const char *shell_join(Arena *arena, char *const *words);
// A list that ends with NULL.
Status shell_split(Arena *arena, const char *text, char ***words, Error *err);

#endif
