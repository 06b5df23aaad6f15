// SPDX-License-Identifier: MIT
// The valid numbers nearest to an invalid one, for messages.
#ifndef BASE_TEXT_NEAREST_H
#define BASE_TEXT_NEAREST_H

#include <stdbool.h>
#include <stdint.h>

enum { NEAREST_BYTES = 64 };

typedef bool (*NumberIsAllowedFn)(const void *self, uint32_t number);

// " (nearest: 16, 20)": the next smaller and the next larger in least..most;
// only one of them, or nothing, if that is all there is. Returns out.
const char *nearest_text(uint32_t number, uint32_t least, uint32_t most,
                         NumberIsAllowedFn is_allowed, const void *self, char out[NEAREST_BYTES]);

bool number_is_power_of_two(const void *unused, uint32_t number);

#endif
