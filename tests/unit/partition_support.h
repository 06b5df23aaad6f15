// SPDX-License-Identifier: MIT
// The memory side of a GTX 480, one partition of it, for tests.
#ifndef UNIT_PARTITION_SUPPORT_H
#define UNIT_PARTITION_SUPPORT_H

#include <string.h>

#include "memory/partition.h"
#include "unit/cmocka_all.h"

enum { SLICES = 2 };

typedef struct MemorySide {
  PartitionConfig partition;
  CacheConfig l2;
  DramConfig dram;
  AddressMap map;
} MemorySide;

// 6 channels of 2 slices of 64 KB, in 64 sets of 8 ways; DRAM by its defaults.
static inline void memory_side_init(MemorySide *side) {
  memset(side, 0, sizeof *side);
  ParamSection sections[] = {{"partition", "", partition_params, &side->partition},
                             {"l2", "", cache_params, &side->l2},
                             {"dram", "", dram_params, &side->dram},
                             {0}};
  param_set_defaults(sections);
  side->l2.sets = 64;
  side->l2.ways = 8;
  side->l2.sectored = true;
  side->l2.write_policy = WRITE_BACK;
  side->l2.write_allocate = WRITE_ALLOCATE_LAZY;
  side->l2.mshrs = 256;
  side->l2.mshr_merges = 4;
  side->l2.miss_queue = 4;
  AddressMapView view = {.channels = 6,
                         .slices_per_channel = SLICES,
                         .banks = 16,
                         .bank_groups = 4,
                         .row_bytes = 4096,
                         .line_bytes = 128};
  Error err = {0};
  assert_int_equal(
      address_map_init(&side->map, NULL, "interleave:layout=RRRRRRRRRRRRBBBCCCCBCCCCCCCC", &view, &err),
      OK);
}

static inline void memory_side_clear(MemorySide *side) {
  address_map_clear(&side->map);
}

static inline MemLocation memory_side_locate(const MemorySide *side, uint64_t address) {
  MemLocation place;
  address_map_locate(&side->map, address, &place);
  return place;
}

// The n-th line of one slice: channel 0, blocks of 256 bytes, every other one.
static inline uint64_t slice_line(uint64_t n) {
  return n / 2 * 2 * 6 * 256 + n % 2 * 128;
}

static inline MemRequest make_request(RequestKind kind, uint64_t address, uint16_t bytes) {
  MemRequest made = {
      .address = address, .bytes = bytes, .kind = (uint8_t)kind, .requester.cluster = 3};
  made.full_sectors = (uint8_t)((1u << bytes / SECTOR_BYTES) - 1);
  return made;
}

#endif
