// SPDX-License-Identifier: MIT
// Lines that spared accesses leave behind, and sectors that are owed.
#include "sm/left_lines.h"

#include "base/memory.h"

enum { OWED_LOG2 = 16, SECTOR_LOG2 = 5 };

void left_lines_add(LeftLines *lines, LeftLine line) {
  if (lines->count == lines->capacity) {
    lines->capacity = lines->capacity ? lines->capacity * 2 : 64;
    lines->items = memory_resize(lines->items, lines->capacity * sizeof *lines->items);
  }
  lines->items[lines->count++] = line;
}

void left_lines_clear(LeftLines *lines) {
  memory_free(lines->items);
  *lines = (LeftLines){0};
}

void owed_sectors_init(OwedSectors *owed) {
  owed->sectors = memory_alloc(sizeof *owed->sectors << OWED_LOG2);
}

void owed_sectors_clear(OwedSectors *owed) {
  memory_free(owed->sectors);
  owed->sectors = NULL;
}

// By 2^64 / golden ratio.
static uint32_t place_of(uint64_t sector) {
  return (uint32_t)(sector * UINT64_C(0x9e3779b97f4a7c15) >> (64 - OWED_LOG2));
}

void owed_sectors_add(OwedSectors *owed, uint64_t address) {
  uint64_t sector = address >> SECTOR_LOG2;
  owed->sectors[place_of(sector)] = sector + 1;
}

bool owed_sectors_have(const OwedSectors *owed, uint64_t address) {
  uint64_t sector = address >> SECTOR_LOG2;
  return owed->sectors[place_of(sector)] == sector + 1;
}
