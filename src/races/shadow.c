// SPDX-License-Identifier: MIT
// Shadow memory by page: last write and last two readers of each word or byte.
#include "races/shadow.h"

#include "base/memory.h"

enum { ADDRESS_LOG2 = 44 };

void shadow_page_init(ShadowPage *page, uint32_t bytes) {
  *page = (ShadowPage){.bytes = bytes, .shift = SHADOW_WORD_LOG2};
}

void shadow_page_clear(ShadowPage *page) {
  memory_free(page->writes);
  memory_free(page->reads);
  page->writes = NULL;
  page->reads = NULL;
}

// One word more than the page has: the last may be there in part.
static size_t cell_count(const ShadowPage *page) {
  return ((size_t)page->bytes + (1 << SHADOW_WORD_LOG2)) >> page->shift;
}

void shadow_page_add_writes(ShadowPage *page) {
  page->writes = memory_alloc(cell_count(page) * sizeof *page->writes);
}

void shadow_page_add_reads(ShadowPage *page) {
  page->reads = memory_alloc(cell_count(page) * sizeof *page->reads);
}

// A byte of a word that was written holds that byte of the value.
static void split_writes(ShadowPage *page) {
  WriteCell *words = page->writes;
  shadow_page_add_writes(page);
  for (size_t i = 0; i < page->bytes; i++) {
    page->writes[i] = words[i >> SHADOW_WORD_LOG2];
    page->writes[i].value = page->writes[i].value >> 8 * (i & 3) & 0xff;
  }
  memory_free(words);
}

static void split_reads(ShadowPage *page) {
  ReadCell *words = page->reads;
  shadow_page_add_reads(page);
  for (size_t i = 0; i < page->bytes; i++) page->reads[i] = words[i >> SHADOW_WORD_LOG2];
  memory_free(words);
}

void shadow_page_split(ShadowPage *page) {
  page->shift = 0;
  if (page->writes) split_writes(page);
  if (page->reads) split_reads(page);
}

static void make_room(Shadow *shadow, size_t index) {
  size_t count = shadow->folder_count ? shadow->folder_count : 1;
  while (count <= index) count *= 2;
  shadow->folders = memory_resize(shadow->folders, count * sizeof *shadow->folders);
  for (size_t i = shadow->folder_count; i < count; i++) shadow->folders[i] = NULL;
  shadow->folder_count = count;
}

ShadowPage *shadow_make_folder(Shadow *shadow, uint64_t address) {
  if (address >> ADDRESS_LOG2) return NULL;
  uint64_t number = address >> SHADOW_PAGE_LOG2, index = number >> SHADOW_FOLDER_LOG2;
  if (index >= shadow->folder_count) make_room(shadow, index);
  ShadowPage *pages = memory_alloc(SHADOW_FOLDER_PAGES * sizeof *pages);
  for (int p = 0; p < SHADOW_FOLDER_PAGES; p++) shadow_page_init(&pages[p], 1 << SHADOW_PAGE_LOG2);
  shadow->folders[index] = pages;
  return &pages[number & (SHADOW_FOLDER_PAGES - 1)];
}

void shadow_clear(Shadow *shadow) {
  for (size_t f = 0; f < shadow->folder_count; f++) {
    for (int p = 0; shadow->folders[f] && p < SHADOW_FOLDER_PAGES; p++)
      shadow_page_clear(&shadow->folders[f][p]);
    memory_free(shadow->folders[f]);
  }
  memory_free(shadow->folders);
  *shadow = (Shadow){0};
}
