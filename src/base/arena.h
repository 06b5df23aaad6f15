// SPDX-License-Identifier: MIT
// Arena allocator: allocations are freed all together.
//
// A zeroed Arena is empty and ready for use. Allocations are zeroed and aligned to 16
// bytes. Running out of memory aborts.
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

#include "base/linkage.h"

typedef struct ArenaBlock ArenaBlock;

typedef struct Arena {
  ArenaBlock *blocks;
  size_t used_bytes;   // of the newest block
  size_t total_bytes;  // of all blocks
} Arena;

C_DECLARATIONS_BEGIN
void *arena_alloc(Arena *arena, size_t size_bytes);
void *arena_alloc_aligned(Arena *arena, size_t size_bytes, size_t alignment);
char *arena_strdup(Arena *arena, const char *text);
char *arena_strndup(Arena *arena, const char *text, size_t length);
char *arena_printf(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_clear(Arena *arena);
C_DECLARATIONS_END

#define ARENA_NEW(arena, Type) ((Type *)arena_alloc((arena), sizeof(Type)))
#define ARENA_ARRAY(arena, Type, count) \
  ((Type *)arena_alloc((arena), sizeof(Type) * (size_t)(count)))

#endif
