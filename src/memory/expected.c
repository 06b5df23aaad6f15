// SPDX-License-Identifier: MIT
// Growth, which is rare and must not be inlined where requests are counted.
#include "memory/expected.h"

#include "base/memory.h"

enum { FIRST_CAPACITY = 64 };

__attribute__((noinline, cold)) void expected_grow(Expected *expected) {
  uint32_t capacity = expected->capacity ? expected->capacity * 2 : FIRST_CAPACITY;
  Cycle *larger = memory_resize(NULL, sizeof *larger * capacity);
  for (uint32_t i = 0; i < expected->count; i++)
    larger[i] = expected->ready[(expected->first + i) & (expected->capacity - 1)];
  memory_free(expected->ready);
  expected->ready = larger;
  expected->first = 0;
  expected->capacity = capacity;
}
