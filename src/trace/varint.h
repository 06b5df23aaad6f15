// SPDX-License-Identifier: MIT
// Numbers of variable length, seven bits per byte, the lowest first; signed ones have their sign in
// the lowest bit.
#ifndef TRACE_VARINT_H
#define TRACE_VARINT_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_VARINT_BYTES = 10 };

static inline uint8_t *varint_put(uint8_t *to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) *to++ = (uint8_t)(value | 0x80);
  *to++ = (uint8_t)value;
  return to;
}

static inline uint8_t *varint_put_signed(uint8_t *to, uint64_t difference) {
  return varint_put(to, difference << 1 ^ (0 - (difference >> 63)));
}

// False if the bytes end before the number does, or if it has more than 64 bits.
static inline bool varint_get(const uint8_t **at, const uint8_t *end, uint64_t *value) {
  const uint8_t *byte = *at;
  *value = 0;
  for (uint32_t shift = 0; byte < end && shift < 64; shift += 7) {
    *value |= (uint64_t)(*byte & 0x7f) << shift;
    if (*byte++ & 0x80) continue;
    *at = byte;
    return true;
  }
  return false;
}

static inline bool varint_get_signed(const uint8_t **at, const uint8_t *end, uint64_t *difference) {
  uint64_t value;
  if (!varint_get(at, end, &value)) return false;
  *difference = value >> 1 ^ (0 - (value & 1));
  return true;
}

#endif
