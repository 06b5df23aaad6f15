// SPDX-License-Identifier: MIT
// Blocks of 2^channel_shift bytes go to the channels in turn, any number of
// them; plain bits do the rest. GPGPU-Sim's "dramid@8".
#include "policies/address_map/address_layout.h"

static Status interleave_check(const void *state, const AddressMapView *view, Error *err) {
  return address_layout_check(state, view, err);
}

static void interleave_prepare(void *state, const AddressMapView *view) {
  address_layout_prepare(state, view);
}

static void interleave_locate(const void *state, const AddressMapView *view, uint64_t address,
                              MemLocation *out) {
  address_layout_locate(state, view, address, out);
}

static const Param interleave_params[] = {ADDRESS_LAYOUT_PARAMS, {0}};

const AddressMapType interleave_address_map = {
    .policy = {.name = "interleave",
               .summary = "channels in turn, plain bits for slice, bank, row and column",
               .state_size = sizeof(AddressLayout),
               .params = interleave_params},
    .check = interleave_check,
    .prepare = interleave_prepare,
    .locate = interleave_locate,
};
