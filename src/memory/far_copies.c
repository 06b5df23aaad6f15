// SPDX-License-Identifier: MIT
// Copies of a slice's lines in the other half of the L2.
#include "memory/far_copies.h"

#include <string.h>

#include "base/memory.h"

enum { WAYS = 16, SECTOR_BITS = 8, HOST_LINE_BYTES = 64 };

void far_copies_init(FarCopies *copies, uint32_t kilobytes, uint32_t line_bytes) {
  *copies = (FarCopies){.sets = (uint32_t)((uint64_t)kilobytes * 1024 / line_bytes / WAYS)};
}

static size_t bytes_of(const FarCopies *copies) {
  return (size_t)copies->sets * WAYS * sizeof(FarCopy);
}

void far_copies_clear(FarCopies *copies) {
  memory_free(copies->copies);
  *copies = (FarCopies){0};
}

// Lines of a slice are not consecutive: the bits above those that choose a channel count as well.
static FarCopy *set_of(const FarCopies *copies, uint64_t line) {
  uint64_t mixed = (line ^ line >> 17) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
  return &copies->copies[mixed % copies->sets * WAYS];
}

// Where it is in its set, or WAYS.
static uint32_t find(const FarCopy *set, uint64_t line) {
  uint32_t i = 0;
  while (i < WAYS && set[i] >> SECTOR_BITS != line + 1) i++;
  return i;
}

static void put_first(FarCopy *set, uint32_t at, FarCopy copy) {
  memmove(set + 1, set, at * sizeof *set);
  set[0] = copy;
}

bool far_copies_read(FarCopies *copies, uint64_t line, uint8_t sectors) {
  if (!copies->sets) return false;
  if (!copies->copies) copies->copies = memory_alloc_aligned(bytes_of(copies), HOST_LINE_BYTES);
  FarCopy *set = set_of(copies, line), copy = (line + 1) << SECTOR_BITS;
  uint32_t at = find(set, line);
  if (at == WAYS)
    at = WAYS - 1;  // the oldest goes
  else
    copy = set[at];
  bool has_all = (copy & sectors) == sectors;
  copy |= sectors;
  put_first(set, at, copy);
  return has_all;
}

void far_copies_drop(FarCopies *copies, uint64_t line, uint8_t sectors) {
  if (!copies->copies) return;
  FarCopy *set = set_of(copies, line);
  uint32_t at = find(set, line);
  if (at < WAYS) set[at] &= ~(uint64_t)sectors;
}

void far_copies_drop_all(FarCopies *copies) {
  if (copies->copies) memset(copies->copies, 0, bytes_of(copies));
}
