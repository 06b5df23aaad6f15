// SPDX-License-Identifier: MIT
// Splits one-line lists in which an item may contain commas after a colon.
#include "base/text/text_list.h"

#include <stdbool.h>
#include <string.h>

// Whether what follows the comma sets another parameter of the policy in `part`.
static bool goes_on(const char *part, size_t length, const char *next) {
  size_t more = strcspn(next, ",");
  return memchr(part, ':', length) && memchr(next, '=', more) && !memchr(next, ':', more) &&
         !memchr(next, '+', more);
}

const char *text_list_next(const char **list, char separator, Arena *arena) {
  const char ends[] = {separator, '\0'};
  while (*list && **list) {
    const char *first = *list + strspn(*list, " \t");
    size_t length = strcspn(first, ends);
    while (separator == ',' && first[length] == ',' && goes_on(first, length, first + length + 1))
      length += 1 + strcspn(first + length + 1, ends);
    const char *last = first + length;
    *list = last + (*last == separator);
    while (last > first && (last[-1] == ' ' || last[-1] == '\t')) last--;
    if (last > first) return arena_strndup(arena, first, (size_t)(last - first));
  }
  return NULL;
}
