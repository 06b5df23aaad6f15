// SPDX-License-Identifier: MIT
// Each block of addresses is in a pseudo-random slice, as with a perfect hash: no
// stride causes partition camping. Not implementable in hardware; GPGPU-Sim has it
// for Pascal (partition indexing 4), where it stores the random slice of each block.
// Here the slice is a hash of the block number, so that it does not depend on the
// order of accesses. Banks, rows and columns are as in interleave.
#include "policies/address_map/address_layout.h"

typedef struct Random {
  AddressLayout layout;  // first: its parameters are ours
  uint64_t seed;
  uint32_t block_shift;
} Random;

// A channel's block is shared by its slices, but no line is.
static Status random_init(void *state, const PolicySetup *setup, Error *err) {
  Random *map = state;
  const AddressMapView *view = setup->part;
  TRY(address_layout_init(&map->layout, view, err));
  uint32_t line = (uint32_t)__builtin_ctz(view->line_bytes);
  uint32_t slices = (uint32_t)__builtin_ctz(view->slices_per_channel);
  uint32_t shift = map->layout.channel_shift;
  map->block_shift = shift >= line + slices ? shift - slices : line;
  return OK;
}

// Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
// OOPSLA 2014: the finalizer of SplitMix64.
static uint64_t mix(uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static void random_locate(const void *state, const AddressMapView *view, uint64_t address,
                          MemLocation *out) {
  const Random *map = state;
  address_layout_locate(&map->layout, view, address, out);
  uint64_t drawn = mix((address >> map->block_shift) + map->seed * 0x9e3779b97f4a7c15u);
  out->slice = (uint32_t)((drawn >> 32) * (view->channels * view->slices_per_channel) >> 32);
  out->channel = out->slice / view->slices_per_channel;
}

static const Param random_params[] = {
    ADDRESS_LAYOUT_PARAMS,
    PARAM(Random, seed, 1, 0, UINT64_MAX / 2, "random seed"),
    {0},
};

const AddressMapType random_address_map = {
    .policy = {.name = "random",
               .summary = "random slice per block of addresses; not a real memory",
               .state_size = sizeof(Random),
               .params = random_params,
               .init = random_init},
    .locate = random_locate,
};
