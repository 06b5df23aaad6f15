// SPDX-License-Identifier: MIT
// Small steps through the text of C++: over spaces, comments, brackets, words.
#ifndef CLUSTER_TEXT_H
#define CLUSTER_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "cluster/sources.h"

bool text_is_word_byte(char byte);

// The first byte at or behind `at` that is neither space nor comment.
uint32_t text_skip_space(const SourceFile *file, uint32_t at);
// The byte behind what begins here: a literal, a word, or one byte.
uint32_t text_skip_token(const SourceFile *file, uint32_t at);
// From an opening bracket, one of ( [ { <, to the byte behind the one that closes
// it; the end of the text if there is none.
uint32_t text_skip_brackets(const SourceFile *file, uint32_t at);
// The byte of the next opening parenthesis behind a name and its template
// arguments, if there are any.
uint32_t text_find_parameters(const SourceFile *file, uint32_t name_at);

bool text_has_word_at(const SourceFile *file, uint32_t at, const char *word);
// Whether a word stands in a piece of text, comments and literals aside. *at, if
// not NULL, gets where.
bool text_find_word(const SourceFile *file, uint32_t begin, uint32_t end, const char *word,
                    uint32_t *at);
// A piece as a string.
const char *text_piece(const SourceFile *file, Arena *arena, uint32_t begin, uint32_t end);

#endif
