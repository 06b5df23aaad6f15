// SPDX-License-Identifier: MIT
// Small steps through the text of C++: over spaces, comments, brackets, words.
#ifndef CLUSTERING_TEXT_H
#define CLUSTERING_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "clustering/sources.h"

bool text_is_word_byte(char byte);

// The first byte at or after `at` that is neither space nor comment.
uint32_t text_skip_space(const SourceFile *file, uint32_t at);
// The byte after the token that starts here: a literal, a word, or one byte.
uint32_t text_skip_token(const SourceFile *file, uint32_t at);
// From an opening bracket, one of ( [ { <, to the byte after the matching one; the end of
// the text if there is none.
uint32_t text_skip_brackets(const SourceFile *file, uint32_t at);
// The opening parenthesis after a name, which may be operator(), and its template arguments, if
// any.
uint32_t text_find_parameters(const SourceFile *file, uint32_t name_at);

bool text_has_word_at(const SourceFile *file, uint32_t at, const char *word);
// Whether a word occurs in a range of text, outside comments and literals. *at, if not
// NULL, receives its position.
bool text_find_word(const SourceFile *file, uint32_t begin, uint32_t end, const char *word,
                    uint32_t *at);
// A piece as a string.
const char *text_piece(const SourceFile *file, Arena *arena, uint32_t begin, uint32_t end);

#endif
