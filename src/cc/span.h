// SPDX-License-Identifier: MIT
// Pieces of a text, for those who rewrite what clang has written, line by line. Private to cc/.
#ifndef CC_SPAN_H
#define CC_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct Span {
  const char *at;
  size_t length;
} Span;

// The line at the start of a text, with its end; empty at the end of the text.
static inline Span line_at(const char *text) {
  const char *end = strchr(text, '\n');
  return (Span){text, end ? (size_t)(end - text) + 1 : strlen(text)};
}

static inline bool begins(Span it, const char *prefix) {
  size_t length = strlen(prefix);
  return it.length >= length && memcmp(it.at, prefix, length) == 0;
}

static inline bool equals(Span a, Span b) {
  return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

#endif
