// SPDX-License-Identifier: MIT
// Growth of rings, which is rare.
#include "base/ring.h"

#include <string.h>

enum { RING_FIRST_SLOTS = 4 };

__attribute__((noinline, cold)) void *ring_grow(void *items, size_t item_bytes, uint32_t *mask,
                                                uint32_t *head) {
  uint32_t slots = *mask + 1, larger = slots ? slots * 2 : RING_FIRST_SLOTS;
  unsigned char *from = items, *to = memory_resize(NULL, item_bytes * larger);
  size_t wrapped = item_bytes * *head, rest = item_bytes * slots - wrapped;
  if (slots) {
    memcpy(to, from + wrapped, rest);
    memcpy(to + rest, from, wrapped);
  }
  memory_free(items);
  *mask = larger - 1;
  *head = 0;
  return to;
}
