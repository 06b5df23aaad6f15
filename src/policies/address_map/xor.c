// SPDX-License-Identifier: MIT
// As interleave, and the channel's digits are XORed with those above them, so
// that power-of-two strides spread over the channels.
//
// One fold is what GPGPU-Sim calls bitwise permutation; more folds take in
// more of the higher digits. Slices of a channel are not permuted.
#include "policies/address_map/address_layout.h"

typedef struct Xor {
  AddressLayout layout;  // first: its parameters are ours
  uint32_t folds;
} Xor;

static Status xor_init(void *state, const PolicySetup *setup, Error *err) {
  const AddressMapView *view = setup->part;
  if (!view->channels || view->channels & (view->channels - 1))
    return error_set(err, ERR_CONFIG, "%u channels: must be a power of two", view->channels);
  return address_layout_init(&((Xor *)state)->layout, view, err);
}

static void xor_locate(const void *state, const AddressMapView *view, uint64_t address,
                       MemLocation *out) {
  const Xor *map = state;
  address_layout_locate(&map->layout, view, address, out);
  uint64_t above = out->local >> map->layout.channel_shift, folded = 0;
  for (uint32_t i = 0; i < map->folds && above; i++, above >>= map->layout.channel_log2)
    folded ^= above;
  uint32_t permuted = out->channel ^ ((uint32_t)folded & (view->channels - 1));
  out->slice += (permuted - out->channel) * view->slices_per_channel;
  out->channel = permuted;
}

static const Param xor_params[] = {
    ADDRESS_LAYOUT_PARAMS,
    PARAM(Xor, folds, 1, 1, 16, "groups of higher address bits XORed into the channel"),
    {0},
};

const AddressMapType xor_address_map = {
    .policy = {.name = "xor",
               .summary = "interleave with the channel XORed with the bits above it",
               .state_size = sizeof(Xor),
               .params = xor_params,
               .init = xor_init},
    .locate = xor_locate,
};
