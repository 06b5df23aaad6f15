// SPDX-License-Identifier: MIT
// Allocation that aborts with a message when memory runs out; mapped memory with huge pages.
#define _GNU_SOURCE  // memfd_create
#include "base/memory.h"

#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *checked(void *piece, size_t size_bytes) {
  if (piece || !size_bytes) return piece;
  fprintf(stderr, "heddle: out of memory (%zu bytes requested)\n", size_bytes);
  abort();
}

void *memory_alloc(size_t size_bytes) {
  return checked(calloc(1, size_bytes), size_bytes);
}

void *memory_alloc_raw(size_t size_bytes, size_t alignment) {
  size_t rounded = (size_bytes + alignment - 1) / alignment * alignment;
  return checked(aligned_alloc(alignment, rounded), rounded);
}

void *memory_alloc_aligned(size_t size_bytes, size_t alignment) {
  size_t rounded = (size_bytes + alignment - 1) / alignment * alignment;
  return memset(memory_alloc_raw(size_bytes, alignment), 0, rounded);
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

static bool file_fill(int file, const char *from, size_t left) {
  while (left) {
    ssize_t written = write(file, from, left);
    if (written <= 0) return false;
    from += written, left -= (size_t)written;
  }
  return true;
}

int memory_to_file(void *pages, size_t size_bytes) {
  int file = memfd_create("heddle", MFD_CLOEXEC);
  if (file < 0) return -1;
  if (file_fill(file, pages, size_bytes) &&
      mmap(pages, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == pages)
    return file;
  close(file);
  return -1;
}

void *memory_map_file(int file, size_t size_bytes) {
  void *pages = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return pages == MAP_FAILED ? NULL : pages;
}

// The heap grows in one large step, which takes address space, not memory, and is never returned;
// the system then serves it in huge pages. glibc can do the same only by an environment variable.
void memory_prefer_huge_pages(void) {
  enum { HEAP_BYTES = 512 << 20, HUGE_PAGE_BYTES = 2 << 20 };
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that it takes
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, HEAP_BYTES);
  uintptr_t first = (uintptr_t)sbrk(0);
  void *volatile piece = malloc(HUGE_PAGE_BYTES);  // not to be optimised away
  uintptr_t end = (uintptr_t)sbrk(0);
  free(piece);
  mallopt(M_TOP_PAD, HUGE_PAGE_BYTES);
  first = (first + HUGE_PAGE_BYTES - 1) & ~(uintptr_t)(HUGE_PAGE_BYTES - 1);
  if (first < end) madvise((void *)first, end - first, MADV_HUGEPAGE);
}

// A pipe takes the byte or says EFAULT. Not through write(), which sanitizers
// check first.
static bool byte_is_readable(const int ends[2], uintptr_t address) {
  char byte;
  return syscall(SYS_write, ends[1], address, (size_t)1) == 1 && read(ends[0], &byte, 1) == 1;
}

bool memory_is_readable(const void *start, size_t size_bytes) {
  uintptr_t first = (uintptr_t)start, page = (uintptr_t)sysconf(_SC_PAGESIZE);
  int ends[2];
  if (size_bytes == 0) return true;
  if (first + (size_bytes - 1) < first || pipe(ends) != 0) return false;
  uintptr_t last = first + (size_bytes - 1);
  bool is_readable = byte_is_readable(ends, first);
  for (uintptr_t at = first / page + 1; is_readable && at <= last / page; at++)
    is_readable = byte_is_readable(ends, at * page);
  close(ends[0]);
  close(ends[1]);
  return is_readable;
}
