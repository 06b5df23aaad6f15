// SPDX-License-Identifier: MIT
// What accesses that an oracle spares leave behind (gpu/config/ideal.h): others find the lines that
// the real access would have brought. An SM notes them; the GPU sees to them at the end of the
// cycle, in the order of the SMs.
#ifndef SM_LEFT_LINES_H
#define SM_LEFT_LINES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct LeftLine {
  uint64_t address;  // of the first sector
  uint8_t sectors;   // bit s: sector s from address
  bool is_owed;      // some access has still to fetch it; otherwise the L2 has it
} LeftLine;

typedef struct LeftLines {
  LeftLine *items;
  uint32_t count, capacity;
} LeftLines;

void left_lines_add(LeftLines *lines, LeftLine line);
void left_lines_clear(LeftLines *lines);

// Sectors of all SMs that are owed: the first access that fetches one need not wait for it, since
// the real one would have come before. The latest of those with the same hash is known.
typedef struct OwedSectors {
  uint64_t *sectors;  // by hash: address / 32 + 1; 0: none
} OwedSectors;

void owed_sectors_init(OwedSectors *owed);
void owed_sectors_clear(OwedSectors *owed);
void owed_sectors_add(OwedSectors *owed, uint64_t address);
bool owed_sectors_have(const OwedSectors *owed, uint64_t address);

#endif
