// SPDX-License-Identifier: MIT
#include "races/shadow.h"

#include "base/memory.h"

enum { FOLDER_LOG2 = 10, FOLDER_PAGES = 1 << FOLDER_LOG2, ADDRESS_LOG2 = 44 };

void shadow_page_init(ShadowPage *page, size_t bytes) {
  page->shift = SHADOW_WORD_LOG2;
  page->cells = memory_alloc(((bytes >> SHADOW_WORD_LOG2) + 1) * sizeof *page->cells);
}

void shadow_page_clear(ShadowPage *page) {
  memory_free(page->cells);
  page->cells = NULL;
}

// A byte of a word that was written holds that byte of the value.
void shadow_page_split(ShadowPage *page, size_t bytes) {
  ShadowCell *words = page->cells;
  page->shift = 0;
  page->cells = memory_alloc((bytes + 4) * sizeof *page->cells);
  for (size_t i = 0; i < bytes; i++) {
    page->cells[i] = words[i >> SHADOW_WORD_LOG2];
    page->cells[i].value = page->cells[i].value >> 8 * (i & 3) & 0xff;
  }
  memory_free(words);
}

static ShadowPage **folder_at(Shadow *shadow, size_t index) {
  if (index >= shadow->folder_count) {
    size_t count = shadow->folder_count ? shadow->folder_count : 1;
    while (count <= index) count *= 2;
    shadow->folders = memory_resize(shadow->folders, count * sizeof *shadow->folders);
    for (size_t i = shadow->folder_count; i < count; i++) shadow->folders[i] = NULL;
    shadow->folder_count = count;
  }
  if (!shadow->folders[index])
    shadow->folders[index] = memory_alloc(FOLDER_PAGES * sizeof **shadow->folders);
  return shadow->folders[index];
}

ShadowPage *shadow_page_at(Shadow *shadow, uint64_t address) {
  if (address >> ADDRESS_LOG2) return NULL;
  uint64_t number = address >> SHADOW_PAGE_LOG2;
  ShadowPage **place = &folder_at(shadow, number >> FOLDER_LOG2)[number & (FOLDER_PAGES - 1)];
  if (!*place) {
    *place = memory_alloc(sizeof **place);
    shadow_page_init(*place, 1 << SHADOW_PAGE_LOG2);
  }
  return *place;
}

void shadow_clear(Shadow *shadow) {
  for (size_t f = 0; f < shadow->folder_count; f++) {
    for (size_t p = 0; shadow->folders[f] && p < FOLDER_PAGES; p++) {
      if (!shadow->folders[f][p]) continue;
      shadow_page_clear(shadow->folders[f][p]);
      memory_free(shadow->folders[f][p]);
    }
    memory_free(shadow->folders[f]);
  }
  memory_free(shadow->folders);
  *shadow = (Shadow){0};
}
