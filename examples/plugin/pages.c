// SPDX-License-Identifier: MIT
// Address map: whole rows to the channels in turn. Without banks and slices
// worth speaking of, to show what a map owes.
#include "policies/address_map/address_map.h"
#include "policies/plugin.h"

static Status pages_init(void *state, const PolicySetup *setup, Error *err) {
  const AddressMapView *view = setup->part;
  (void)state;
  if (view->row_bytes % view->line_bytes)
    return error_set(err, ERR_CONFIG, "rows of %u bytes would split lines of %u bytes",
                     view->row_bytes, view->line_bytes);
  return OK;
}

static void pages_locate(const void *state, const AddressMapView *view, uint64_t address,
                         MemLocation *out) {
  (void)state;
  uint64_t row = address / view->row_bytes, round = row / view->channels;
  uint64_t turn = round / view->slices_per_channel;
  out->channel = (uint32_t)(row % view->channels);
  out->slice = (uint32_t)(out->channel * view->slices_per_channel + round % view->slices_per_channel);
  out->bank = (uint32_t)(round % view->banks);
  out->row = (uint32_t)(round / view->banks & 0x7fffffff);
  out->column = (uint32_t)(address % view->row_bytes);
  out->local = turn * view->row_bytes + out->column;
}

static const AddressMapType pages = {
    .policy = {.name = "pages", .summary = "rows to the channels in turn", .init = pages_init},
    .locate = pages_locate,
};
POLICY_PLUGIN("address_map", pages);
