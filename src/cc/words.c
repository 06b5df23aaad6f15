// SPDX-License-Identifier: MIT
// A command line under construction: NULL-terminated words.
#include "cc/words.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

void words_clear(Words *words) {
  for (int i = 0; i < words->count; i++) memory_free(words->items[i]);
  memory_free(words->items);
  *words = (Words){0};
}

static void append(Words *words, char *word) {
  if (words->count + 1 >= words->capacity) {
    words->capacity = words->capacity ? words->capacity * 2 : 16;
    words->items = memory_resize(words->items, sizeof *words->items * (size_t)words->capacity);
  }
  words->items[words->count++] = word;
  words->items[words->count] = NULL;
}

void words_add(Words *words, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  char *word = memory_alloc((size_t)length + 1);
  vsnprintf(word, (size_t)length + 1, format, again);
  va_end(again);
  va_end(arguments);
  append(words, word);
}

void words_add_all(Words *words, const Words *more) {
  for (int i = 0; i < more->count; i++) words_add(words, "%s", more->items[i]);
}

void words_add_list(Words *words, const char *text) {
  while (*text) {
    size_t length = strcspn(text, ", ");
    if (length) words_add(words, "%.*s", (int)length, text);
    text += length + (text[length] != 0);
  }
}
