// SPDX-License-Identifier: MIT
// The host's memory. Running out of it aborts with a message: nothing in a
// simulator can go on without it, and no caller has to check.
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/linkage.h"

C_DECLARATIONS_BEGIN
void *memory_alloc(size_t size_bytes);                            // zeroed
void *memory_alloc_aligned(size_t size_bytes, size_t alignment);  // zeroed
void *memory_resize(void *piece, size_t size_bytes);
void memory_free(void *piece);

// Zeroed pages that cost nothing until they are touched; NULL if the host
// refuses, since here the size is often the simulated program's wish.
void *memory_map(size_t size_bytes);
void memory_unmap(void *pages, size_t size_bytes);
C_DECLARATIONS_END

#ifdef __cplusplus
#define MEMORY_AS(array) (decltype(array))
#else
#define MEMORY_AS(array)
#endif

// Whether all of these bytes can be read, for untrusted lengths.
// Asks the system about every page; nothing is touched.
bool memory_is_readable(const void *start, size_t size_bytes);

// Grows a plain array so that one more element fits: GROW(a, count, capacity).
#define GROW(array, count, capacity)                                          \
  do {                                                                        \
    if ((count) == (capacity)) {                                              \
      (capacity) = (capacity) ? (capacity)*2 : 8;                             \
      (array) = MEMORY_AS(array)                                              \
          memory_resize((array), (size_t)(capacity) * sizeof *(array));       \
    }                                                                         \
  } while (0)

#endif
