// SPDX-License-Identifier: MIT
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void *checked(void *piece, size_t size_bytes) {
  if (piece || !size_bytes) return piece;
  fprintf(stderr, "heddle: out of memory (%zu bytes wanted)\n", size_bytes);
  abort();
}

void *memory_alloc(size_t size_bytes) {
  return checked(calloc(1, size_bytes), size_bytes);
}

void *memory_alloc_aligned(size_t size_bytes, size_t alignment) {
  size_t rounded = (size_bytes + alignment - 1) / alignment * alignment;
  return memset(checked(aligned_alloc(alignment, rounded), rounded), 0, rounded);
}

void *memory_resize(void *piece, size_t size_bytes) {
  return checked(realloc(piece, size_bytes), size_bytes);
}

void memory_free(void *piece) {
  free(piece);
}

void *memory_map(size_t size_bytes) {
  void *pages = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}

void memory_unmap(void *pages, size_t size_bytes) {
  if (pages) munmap(pages, size_bytes);
}
