// SPDX-License-Identifier: MIT
// The valid numbers nearest to an invalid one, for messages.
#include "base/text/nearest.h"

#include <stdio.h>

// 0: there is none.
static uint32_t below(uint32_t number, uint32_t least, uint32_t most, NumberIsAllowedFn is_allowed,
                      const void *self) {
  uint32_t at = number > most ? most : number > least ? number - 1 : 0;
  for (; at >= least && at > 0; at--)
    if (is_allowed(self, at)) return at;
  return 0;
}

static uint32_t above(uint32_t number, uint32_t least, uint32_t most, NumberIsAllowedFn is_allowed,
                      const void *self) {
  for (uint32_t at = number < least ? least : number + 1; at <= most && at > 0; at++)
    if (is_allowed(self, at)) return at;
  return 0;
}

const char *nearest_text(uint32_t number, uint32_t least, uint32_t most,
                         NumberIsAllowedFn is_allowed, const void *self, char out[NEAREST_BYTES]) {
  uint32_t smaller = below(number, least, most, is_allowed, self),
           larger = number < most ? above(number, least, most, is_allowed, self) : 0;
  out[0] = '\0';
  if (smaller && larger)
    snprintf(out, NEAREST_BYTES, " (nearest: %u, %u)", smaller, larger);
  else if (smaller || larger)
    snprintf(out, NEAREST_BYTES, " (nearest: %u)", smaller ? smaller : larger);
  return out;
}

bool number_is_power_of_two(const void *unused, uint32_t number) {
  (void)unused;
  return number && (number & (number - 1)) == 0;
}
