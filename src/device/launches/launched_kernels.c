// SPDX-License-Identifier: MIT
// Records the names of launched kernels, to report parts of --kernels that match none.
#include "device/launches/launched_kernels.h"

#include <inttypes.h>
#include <string.h>

// Longer lists of names are cut.
enum { MOST_NAMES = 16 };

void launched_kernels_note(LaunchedKernels *launched, const Function *kernel, Arena *arena) {
  LaunchedKernel **at = &launched->first;
  launched->launches++;
  while (*at && strcmp((*at)->function.name, kernel->name) != 0) at = &(*at)->next;
  if (*at) return;
  *at = ARENA_NEW(arena, LaunchedKernel);
  (*at)->function.name = arena_strdup(arena, kernel->name);
  (*at)->function.title = arena_strdup(arena, function_title(kernel));
}

static bool name_selects(const LaunchedKernels *launched, const char *pattern) {
  for (const LaunchedKernel *it = launched->first; it; it = it->next)
    if (kernel_name_matches(pattern, &it->function)) return true;
  return false;
}

static const char *join(const char *list, const char *item, Arena *arena) {
  return arena_printf(arena, "%s%s%s", list, *list ? ", " : "", item);
}

static const char *range_text(const struct ChosenRange *range, Arena *arena) {
  if (range->first == range->last) return arena_printf(arena, "%" PRIu64, range->first);
  if (range->last == UINT64_MAX) return arena_printf(arena, "%" PRIu64 "-", range->first);
  return arena_printf(arena, "%" PRIu64 "-%" PRIu64, range->first, range->last);
}

static const char *names_of(const LaunchedKernels *launched, Arena *arena) {
  const char *list = "";
  uint32_t count = 0;
  for (const LaunchedKernel *it = launched->first; it; it = it->next)
    if (count++ < MOST_NAMES) list = join(list, function_title(&it->function), arena);
  if (count > MOST_NAMES) list = arena_printf(arena, "%s and %u more", list, count - MOST_NAMES);
  return list;
}

static const char *unmatched_items(const LaunchedKernels *launched, const KernelChoice *choice,
                                   uint32_t *count, Arena *arena) {
  const char *list = "";
  for (uint32_t i = 0; i < choice->range_count; i++) {
    if (choice->ranges[i].first < launched->launches) continue;
    list = join(list, range_text(&choice->ranges[i], arena), arena);
    ++*count;
  }
  for (uint32_t i = 0; i < choice->name_count; i++) {
    if (name_selects(launched, choice->names[i])) continue;
    list = join(list, arena_printf(arena, "'%.80s'", choice->names[i]), arena);
    ++*count;
  }
  return list;
}

const char *launched_kernels_unmatched(const LaunchedKernels *launched, const KernelChoice *choice,
                                       bool *selects_none, Arena *arena) {
  uint32_t count = 0;
  if (!launched->launches) return NULL;
  const char *items = unmatched_items(launched, choice, &count, arena);
  *selects_none = count == choice->range_count + choice->name_count;
  if (!count) return NULL;
  return arena_printf(
      arena, "--kernels: no launch matches %s; kernels: %s; %" PRIu64 " launch%s, numbered from 0",
      items, names_of(launched, arena), launched->launches, launched->launches == 1 ? "" : "es");
}
