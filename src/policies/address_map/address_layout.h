// SPDX-License-Identifier: MIT
// Common part of the address maps: blocks of addresses are interleaved over the
// channels, and the remaining bits select slice, bank, row and column.
//
//   block   = address >> channel_shift
//   channel = block mod channels
//   local   = (block / channels) << channel_shift | low bits of the address
//   local:    RRRRRRRRRRRRBBBCCCCBCCCCCCCC     one letter per bit, bit 0 last
//
// R, B and C (or S) denote row, bank and column, 0 an unused bit; dots, bars and
// blanks are skipped, as in GPGPU-Sim's mappings. Bits above the layout are unused.
// The lowest bank bits also select the slice of the channel. The default layout is,
// from bit 0: columns up to channel_shift, the slice's bank bits, the other columns,
// the other banks, rows. With bank_xor, the lowest row bits are XORed into the bank,
// so that rows at power-of-two distances map to different banks; the slice does not
// change.
#ifndef POLICIES_ADDRESS_MAP_ADDRESS_LAYOUT_H
#define POLICIES_ADDRESS_MAP_ADDRESS_LAYOUT_H

#include "policies/address_map/address_map.h"

enum { LAYOUT_TEXT_BYTES = 104, LAYOUT_MAX_RUNS = 32 };

// Bits that are neighbours in both numbers.
typedef struct BitRun {
  uint64_t mask;  // at bit 0
  uint32_t from, to;
} BitRun;

// Some bits of a number, moved together in their order.
typedef struct BitField {
  uint64_t bits;
  uint32_t width, run_count;
  BitRun runs[LAYOUT_MAX_RUNS];
} BitField;

typedef struct AddressLayout {
  // parameters
  uint32_t channel_shift;
  char layout[LAYOUT_TEXT_BYTES];
  bool bank_xor;
  // worked out from them
  uint64_t low_mask;       // of the bits below the channel
  uint64_t channel_magic;  // 2^64 / channels, rounded up; 0: a power of two
  uint32_t channel_log2;
  BitField bank, row, column;
  BitField rest;  // all bits but the slice's
} AddressLayout;

// The first entries of a Param table for a state that begins with an AddressLayout.
// clang-format off
#define ADDRESS_LAYOUT_PARAMS                                                                \
  PARAM(AddressLayout, channel_shift, 8, 5, 30, "lowest address bit of the channel number"), \
  PARAM_TEXT(AddressLayout, layout, "", "R, B, C: meaning of each bit of the address within a channel"), \
  PARAM(AddressLayout, bank_xor, false, 0, 1, "XOR the lowest row bits into the bank")
// clang-format on

// Computes the fields; fails if they do not fit the machine.
Status address_layout_init(AddressLayout *layout, const AddressMapView *view, Error *err);
void address_layout_locate(const AddressLayout *layout, const AddressMapView *view,
                           uint64_t address, MemLocation *out);

#endif
