// SPDX-License-Identifier: MIT
// Arena allocator: allocations are freed all together.
#include "base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

struct ArenaBlock {
  ArenaBlock *next;
  size_t size_bytes;
  unsigned char *data;  // follows this header, aligned
};

enum {
  FIRST_BLOCK_BYTES = 4096,
  LARGEST_BLOCK_BYTES = 1 << 20,
  DEFAULT_ALIGNMENT = 16,
  BLOCK_ALIGNMENT = 64
};

static void add_block(Arena *arena, size_t at_least) {
  size_t size = arena->total_bytes < FIRST_BLOCK_BYTES ? FIRST_BLOCK_BYTES : arena->total_bytes;
  if (size > LARGEST_BLOCK_BYTES) size = LARGEST_BLOCK_BYTES;
  if (size < at_least) size = at_least;
  // Not zeroed: each piece is when it is taken, and much of a block may never be.
  ArenaBlock *block = memory_resize(NULL, sizeof *block + BLOCK_ALIGNMENT - 1 + size);
  block->size_bytes = size;
  uintptr_t behind = (uintptr_t)(block + 1);
  block->data = (unsigned char *)(block + 1) + (0 - behind) % BLOCK_ALIGNMENT;
  block->next = arena->blocks;
  arena->blocks = block;
  arena->used_bytes = 0;
  arena->total_bytes += size;
}

void *arena_alloc_aligned(Arena *arena, size_t size_bytes, size_t alignment) {
  size_t at = (arena->used_bytes + alignment - 1) & ~(alignment - 1);
  if (!arena->blocks || at > arena->blocks->size_bytes ||
      size_bytes > arena->blocks->size_bytes - at) {
    add_block(arena, size_bytes);
    at = 0;
  }
  arena->used_bytes = at + size_bytes;
  return memset(arena->blocks->data + at, 0, size_bytes);
}

void *arena_alloc(Arena *arena, size_t size_bytes) {
  return arena_alloc_aligned(arena, size_bytes, DEFAULT_ALIGNMENT);
}

char *arena_strndup(Arena *arena, const char *text, size_t length) {
  char *copy = arena_alloc_aligned(arena, length + 1, 1);
  memcpy(copy, text, length);
  return copy;
}

char *arena_strdup(Arena *arena, const char *text) {
  return arena_strndup(arena, text, strlen(text));
}

char *arena_printf(Arena *arena, const char *format, ...) {
  assert(format);
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text = arena_alloc_aligned(arena, (size_t)length + 1, 1);
  vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  return text;
}

void arena_clear(Arena *arena) {
  while (arena->blocks) {
    ArenaBlock *next = arena->blocks->next;
    memory_free(arena->blocks);
    arena->blocks = next;
  }
  *arena = (Arena){0};
}
