// SPDX-License-Identifier: MIT
// Blocks of 2^channel_shift bytes go to the channels in turn, any number of
// them; plain bits do the rest. GPGPU-Sim's "dramid@8".
#include "policies/address_map/address_layout.h"

static Status interleave_init(void *state, const PolicySetup *setup, Error *err) {
  return address_layout_init(state, setup->part, err);
}

static void interleave_locate(const void *state, const AddressMapView *view, uint64_t address,
                              MemLocation *out) {
  address_layout_locate(state, view, address, out);
}

static const Param interleave_params[] = {ADDRESS_LAYOUT_PARAMS, {0}};

const AddressMapType interleave_address_map = {
    .policy = {.name = "interleave",
               .summary = "interleaved channels, plain bits for slice, bank, row and column",
               .state_size = sizeof(AddressLayout),
               .params = interleave_params,
               .init = interleave_init},
    .locate = interleave_locate,
};
