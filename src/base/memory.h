// SPDX-License-Identifier: MIT
// Host memory. Running out of memory aborts with a message, so callers need not check.
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/linkage.h"

C_DECLARATIONS_BEGIN
void *memory_alloc(size_t size_bytes);                            // zeroed
void *memory_alloc_aligned(size_t size_bytes, size_t alignment);  // zeroed
// Not zeroed: for what is written before it is read. A large piece is then not read twice into the
// host's cache.
void *memory_alloc_raw(size_t size_bytes, size_t alignment);
void *memory_resize(void *piece, size_t size_bytes);
void memory_free(void *piece);

// Zeroed pages that take no memory until accessed. Returns NULL on failure, because
// the simulated program often determines the size.
void *memory_map(size_t size_bytes);
void memory_unmap(void *pages, size_t size_bytes);
// Gives pages of memory_map the bytes of a file without a name, which other processes can map, and
// returns its descriptor: -1 on failure. Their contents stay.
int memory_to_file(void *pages, size_t size_bytes);
// Pages with the bytes of such a file, or NULL.
void *memory_map_file(int file, size_t size_bytes);

// From now on, memory comes in huge pages of the host where it has them: the parts of a large
// machine are spread over tens of megabytes. To be called once, by programs that own their process.
void memory_prefer_huge_pages(void);
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
