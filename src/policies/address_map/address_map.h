// SPDX-License-Identifier: MIT
// Address maps: from an address to channel, slice, bank, row and column.
//
// To add one, write a file in this folder that defines an AddressMapType and list
// it in address_maps.def. PolicySetup.part is the AddressMapView; `init` rejects
// machines that the map does not support. The result depends on the address only,
// and all addresses of a line have the same slice.
#ifndef POLICIES_ADDRESS_MAP_ADDRESS_MAP_H
#define POLICIES_ADDRESS_MAP_ADDRESS_MAP_H

#include "policies/host.h"

// Properties of the machine that a map may use.
typedef struct AddressMapView {
  uint32_t channels, slices_per_channel, banks, bank_groups;
  uint32_t row_bytes;   // of one bank
  uint32_t line_bytes;  // of the L2
} AddressMapView;

typedef struct MemLocation {
  uint32_t channel, slice;  // slice counts over the whole GPU: channel * slices_per_channel + ...
  uint32_t bank, row, column;
  uint64_t local;  // the address with the digits of channel and slice removed: what an L2 slice
                   // indexes by
} MemLocation;

typedef struct AddressMapType {
  PolicyType policy;
  void (*locate)(const void *state, const AddressMapView *view, uint64_t address, MemLocation *out);
} AddressMapType;

extern const PolicyFamily address_map_family;

// A map in use: policy, state and machine.
typedef struct AddressMap {
  const AddressMapType *type;
  void *state;
  AddressMapView view;
  PolicyHost *own;  // that the state belongs to, if no machine has one
} AddressMap;

// host: of the machine; NULL: a map on its own, without plugins.
Status address_map_init(AddressMap *map, PolicyHost *host, const char *spec,
                        const AddressMapView *view, Error *err);
void address_map_clear(AddressMap *map);

static inline void address_map_locate(const AddressMap *map, uint64_t address, MemLocation *out) {
  map->type->locate(map->state, &map->view, address, out);
  POLICY_REQUIRE(map->type, out->channel < map->view.channels && out->bank < map->view.banks);
  POLICY_REQUIRE(map->type, out->slice - out->channel * map->view.slices_per_channel <
                                map->view.slices_per_channel);
}

#endif
