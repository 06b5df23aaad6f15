// SPDX-License-Identifier: MIT
// "Did you mean ...?": the known name nearest to a misspelt word.
//
// Start with the word, offer every known name, then ask. Names that are too
// different to be a slip of the finger are not suggested.
#ifndef BASE_TEXT_CLOSEST_H
#define BASE_TEXT_CLOSEST_H

enum { CLOSEST_NAME_BYTES = 64 };

typedef struct Closest {
  const char *word;
  char best[CLOSEST_NAME_BYTES];  // empty: nothing near
  unsigned distance;
} Closest;

Closest closest_start(const char *word);
void closest_offer(Closest *closest, const char *name);

// Arguments for "%s%s%s": nothing, or `; did you mean 'name'?`.
#define CLOSEST_HINT(closest) \
  *(closest).best ? "; did you mean '" : "", (closest).best, *(closest).best ? "'?" : ""

#endif
