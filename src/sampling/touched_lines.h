// SPDX-License-Identifier: MIT
// The lines of memory that one access of a warp touches.
#ifndef SAMPLING_TOUCHED_LINES_H
#define SAMPLING_TOUCHED_LINES_H

#include <stdint.h>

enum { TOUCHED_LINE_BYTES = 128, TOUCHED_SECTOR_BYTES = 32, TOUCHED_MAX_LINES = 64 };

typedef struct TouchedLine {
  uint64_t address;  // of its first byte
  uint8_t sectors;   // bit s: sector s is touched
  uint8_t full;      // bit s: with as many bytes as it has
} TouchedLine;

// address: of lanes in mask, `bytes` each (at most 128). Returns how many lines `lines` got, in the
// order of the first lane that touches them.
uint32_t touched_lines(const uint64_t *address, uint32_t mask, uint32_t bytes,
                       TouchedLine lines[TOUCHED_MAX_LINES]);

#endif
