// SPDX-License-Identifier: MIT
// "Did you mean ...?": the known name nearest to a misspelt word.
#include "base/text/closest.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST_NAME = CLOSEST_NAME_BYTES - 1 };

static size_t difference(size_t a, size_t b) {
  return a < b ? b - a : a - b;
}

static unsigned smaller(unsigned a, unsigned b) {
  return a < b ? a : b;
}

// Insertions, deletions, replacements and swaps of neighbours that turn one
// text into the other; case does not count.
static unsigned edit_distance(const char *a, const char *b) {
  size_t a_length = strlen(a), b_length = strlen(b);
  if (a_length > LONGEST_NAME || b_length > LONGEST_NAME) return LONGEST_NAME;
  unsigned rows[3][LONGEST_NAME + 1];
  for (unsigned j = 0; j <= b_length; j++) rows[0][j] = j;
  for (unsigned i = 1; i <= a_length; i++) {
    const unsigned *before = rows[(i - 1) % 3], *before_that = rows[(i + 1) % 3];
    unsigned *row = rows[i % 3];
    row[0] = i;
    for (unsigned j = 1; j <= b_length; j++) {
      int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
      row[j] = smaller(before[j - 1] + (x != y), 1 + smaller(before[j], row[j - 1]));
      if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
          y == tolower((unsigned char)a[i - 2]))
        row[j] = smaller(row[j], before_that[j - 2] + 1);
    }
  }
  return rows[a_length % 3][b_length];
}

Closest closest_start(const char *word) {
  // A third of the word may be wrong and a letter more, but of the shortest words one.
  unsigned length = smaller((unsigned)strlen(word), 48);
  return (Closest){.word = word, .distance = length < 4 ? 2 : length / 3 + 2};
}

void closest_offer(Closest *closest, const char *name) {
  // Every letter that one has more is an insertion.
  if (difference(strlen(closest->word), strlen(name)) >= closest->distance) return;
  unsigned distance = edit_distance(closest->word, name);
  if (distance >= closest->distance || distance >= strlen(name)) return;
  closest->distance = distance;
  strcpy(closest->best, name);
}
