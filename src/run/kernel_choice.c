// SPDX-License-Identifier: MIT
// Which launches run with timing: "3,7-9,20-,reduce*".
#include "run/kernel_choice.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { NAME_BYTES = 1024 };

// The length of the first part: commas between template arguments end none.
static size_t part_length(const char *text) {
  int depth = 0;
  const char *at = text;
  for (; *at && (*at != ',' || depth); at++) {
    depth += *at == '<' || *at == '(';
    if (depth) depth -= *at == '>' || *at == ')';
  }
  return (size_t)(at - text);
}

// "7", "7-9" or "7-"; false if it is not a number.
static bool read_range(const char *part, struct ChosenRange *range) {
  char *end;
  if (!isdigit((unsigned char)*part)) return false;
  range->first = range->last = strtoull(part, &end, 10);
  if (*end != '-') return !*end;
  if (!end[1]) range->last = UINT64_MAX;
  if (!end[1]) return true;
  if (!isdigit((unsigned char)end[1])) return false;
  range->last = strtoull(end + 1, &end, 10);
  return !*end;
}

static Status add_part(KernelChoice *choice, const char *part, Error *err) {
  struct ChosenRange range;
  if (!*part) return error_set(err, ERR_USAGE, "empty item between commas");
  if (isdigit((unsigned char)*part)) {
    if (!read_range(part, &range) || range.first > range.last)
      return error_set(err, ERR_USAGE, "'%.80s': expected a number, a range such as 7-9, or a name",
                       part);
    GROW(choice->ranges, choice->range_count, choice->range_capacity);
    choice->ranges[choice->range_count++] = range;
    return OK;
  }
  GROW(choice->names, choice->name_count, choice->name_capacity);
  choice->names[choice->name_count++] = part;
  return OK;
}

Status kernel_choice_parse(KernelChoice *choice, const char *text, Error *err) {
  for (;;) {
    text += strspn(text, " ");
    size_t length = part_length(text), used = length;
    while (used && text[used - 1] == ' ') used--;
    TRY(add_part(choice, arena_strndup(&choice->arena, text, used), err));
    if (!text[length]) return OK;
    text += length + 1;
  }
}

void kernel_choice_clear(KernelChoice *choice) {
  memory_free(choice->ranges);
  memory_free(choice->names);
  arena_clear(&choice->arena);
  *choice = (KernelChoice){0};
}

bool kernel_choice_is_given(const KernelChoice *choice) {
  return choice->range_count || choice->name_count;
}

bool kernel_name_matches(const char *pattern, const Function *kernel) {
  char short_name[NAME_BYTES];
  const char *title = function_title(kernel);
  snprintf(short_name, sizeof short_name, "%.*s", (int)strcspn(title, "<("), title);
  // A title may contain pattern characters.
  return strcmp(pattern, title) == 0 || fnmatch(pattern, kernel->name, 0) == 0 ||
         fnmatch(pattern, title, 0) == 0 || fnmatch(pattern, short_name, 0) == 0;
}

bool kernel_choice_has(const KernelChoice *choice, uint64_t number, const Function *kernel) {
  if (!kernel_choice_is_given(choice)) return true;
  for (uint32_t i = 0; i < choice->range_count; i++)
    if (number >= choice->ranges[i].first && number <= choice->ranges[i].last) return true;
  for (uint32_t i = 0; i < choice->name_count; i++)
    if (kernel_name_matches(choice->names[i], kernel)) return true;
  return false;
}
