// SPDX-License-Identifier: MIT
// Lists the distinct lines that the lanes of an access touch.
#include "sampling/touched_lines.h"

#include <stdbool.h>

enum { SECTORS = TOUCHED_LINE_BYTES / TOUCHED_SECTOR_BYTES };

typedef struct Lines {
  TouchedLine *lines;
  uint32_t count;
  uint32_t bytes[TOUCHED_MAX_LINES][SECTORS];
} Lines;

// The latest line first: lanes are mostly in order.
static uint32_t find(Lines *to, uint64_t address) {
  for (uint32_t i = to->count; i-- > 0;)
    if (to->lines[i].address == address) return i;
  to->lines[to->count] = (TouchedLine){.address = address};
  for (uint32_t s = 0; s < SECTORS; s++) to->bytes[to->count][s] = 0;
  return to->count++;
}

static void touch(Lines *to, uint64_t first, uint64_t end) {
  while (first < end) {
    uint64_t line = first & ~(uint64_t)(TOUCHED_LINE_BYTES - 1);
    uint32_t i = find(to, line), sector = (uint32_t)(first - line) / TOUCHED_SECTOR_BYTES;
    uint64_t limit = line + (sector + 1) * TOUCHED_SECTOR_BYTES;
    uint64_t until = end < limit ? end : limit;
    to->lines[i].sectors |= (uint8_t)(1u << sector);
    to->bytes[i][sector] += (uint32_t)(until - first);
    if (to->bytes[i][sector] >= TOUCHED_SECTOR_BYTES) to->lines[i].full |= (uint8_t)(1u << sector);
    first = until;
  }
}

// Whether lanes that follow one another touch `stride` bytes apart.
static inline bool is_even(const uint64_t *address, uint32_t count, uint64_t stride) {
  uint64_t different = 0;
  for (uint32_t i = 1; i < count; i++) different |= address[i] ^ (address[0] + i * stride);
  return !different;
}

uint32_t touched_lines(const uint64_t *address, uint32_t mask, uint32_t bytes,
                       TouchedLine lines[TOUCHED_MAX_LINES]) {
  Lines to;
  to.lines = lines;
  to.count = 0;
  uint32_t lane = mask ? (uint32_t)__builtin_ctz(mask) : 0, run = mask >> lane;
  uint32_t lanes = (uint32_t)__builtin_popcount(mask);
  // Most accesses are of lanes in order: one range of bytes.
  if (mask && !(run & (run + 1)) && is_even(address + lane, lanes, bytes)) {
    touch(&to, address[lane], address[lane] + (uint64_t)lanes * bytes);
    return to.count;
  }
  for (uint32_t left = mask; left; left &= left - 1) {
    uint64_t first = address[__builtin_ctz(left)];
    touch(&to, first, first + bytes);
  }
  return to.count;
}
