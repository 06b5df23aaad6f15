// SPDX-License-Identifier: MIT
// Files with the numbers 0 to n - 1 in any order: which number each thing has.
// Numbers are separated by spaces, commas or line ends; a # begins a comment.
#ifndef BASE_PERMUTATION_H
#define BASE_PERMUTATION_H

#include <stdint.h>

#include "base/error.h"

enum { PERMUTATION_MAX_NUMBERS = 1 << 20 };

// Each number must be there once. memory_free(*numbers) when done.
Status permutation_read(const char *path, uint32_t **numbers, uint32_t *count, Error *err);

#endif
