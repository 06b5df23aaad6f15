// SPDX-License-Identifier: MIT
// A command line under construction: NULL-terminated words.
#ifndef CC_WORDS_H
#define CC_WORDS_H

typedef struct Words {
  char **items;  // items[count] is NULL once there is an item
  int count, capacity;
} Words;

void words_clear(Words *words);
void words_add(Words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
void words_add_all(Words *words, const Words *more);
// The parts of text between commas or spaces: a shell splits what nvcc passes on.
void words_add_list(Words *words, const char *text);

#endif
