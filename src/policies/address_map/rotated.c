// SPDX-License-Identifier: MIT
// As interleave, and the channels of each round are rotated by a hash of what is above them, the
// slices of a channel exchanged by it: for channels that are not a power of two, where ipoly would
// have to fold and so load some channels twice.
//
// Within a round every channel is there once, so streams stay even. The hash is the remainder of
// the address, read as a polynomial over GF(2), by an irreducible one of degree 10 (Rau,
// "Pseudo-randomly interleaved memory", ISCA 1991): strides of whole rounds visit all channels.
#include "policies/address_map/address_layout.h"

enum { POLYNOMIAL = 1033, DIGITS = 10, CHANNEL_DIGITS = 8 };  // x^10 + x^3 + 1
enum { BYTES = sizeof(uint64_t), BYTE_VALUES = 256 };

// The remainder of a sum is the sum of the remainders: every access is located, and takes a look
// at each byte instead of a parity for each digit.
typedef struct Rotated {
  AddressLayout layout;                     // first: its parameters are ours
  uint16_t remainders[BYTES][BYTE_VALUES];  // of that byte above the channel, others being zero
} Rotated;

// The bit k places above the channel counts as x^(DIGITS + k).
static Status rotated_init(void *state, const PolicySetup *setup, Error *err) {
  Rotated *map = state;
  TRY(address_layout_init(&map->layout, setup->part, err));
  uint32_t top = 1u << DIGITS, remainder = POLYNOMIAL ^ top;
  for (uint32_t k = 0; k < 64; k++) {
    uint16_t *of_byte = map->remainders[k / 8];
    uint32_t bit = 1u << k % 8;
    for (uint32_t value = 0; value < bit; value++)
      of_byte[value | bit] = (uint16_t)(of_byte[value] ^ remainder);
    remainder <<= 1;
    if (remainder & top) remainder ^= POLYNOMIAL;
  }
  return OK;
}

static void rotated_locate(const void *state, const AddressMapView *view, uint64_t address,
                           MemLocation *out) {
  const Rotated *map = state;
  address_layout_locate(&map->layout, view, address, out);
  uint32_t slice = out->slice - out->channel * view->slices_per_channel;
  uint64_t above = out->local >> map->layout.channel_shift;
  uint32_t hash = 0;
  for (uint32_t byte = 0; above; byte++, above >>= 8) hash ^= map->remainders[byte][above & 0xff];
  out->channel = (out->channel + hash) % view->channels;
  slice ^= hash >> CHANNEL_DIGITS & (view->slices_per_channel - 1);
  out->slice = out->channel * view->slices_per_channel + slice;
}

static const Param rotated_params[] = {ADDRESS_LAYOUT_PARAMS, {0}};

const AddressMapType rotated_address_map = {
    .policy = {.name = "rotated",
               .summary = "interleave, each round of channels rotated by a polynomial hash",
               .state_size = sizeof(Rotated),
               .params = rotated_params,
               .init = rotated_init},
    .locate = rotated_locate,
};
