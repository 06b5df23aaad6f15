// SPDX-License-Identifier: MIT
// The family of address maps, from its list, and a map in use.
#include "policies/address_map/address_map.h"

#include "base/memory.h"

#define ADDRESS_MAP(name) extern const AddressMapType name##_address_map;
#include "policies/address_map/address_maps.def"
#undef ADDRESS_MAP

static const PolicyType *const types[] = {
#define ADDRESS_MAP(name) &name##_address_map.policy,
#include "policies/address_map/address_maps.def"
#undef ADDRESS_MAP
    NULL,
};

static const char *missing(const PolicyType *type) {
  const AddressMapType *map = (const AddressMapType *)(const void *)type;
  return map->locate ? NULL : "locate";
}

const PolicyFamily address_map_family = {
    .name = "address_map",
    .question = "which channel, slice, bank, row and column does an address map to?",
    .types = types,
    .missing = missing,
};

Status address_map_init(AddressMap *map, PolicyHost *host, const char *spec,
                        const AddressMapView *view, Error *err) {
  const PolicyType *type;
  PolicyPlace place = {.sm = POLICY_EVERY_SM, .cluster = POLICY_EVERY_SM, .part = view};
  *map = (AddressMap){.view = *view};
  if (!host) host = map->own = memory_alloc(sizeof *host);
  Status status =
      policy_host_make(host, &address_map_family, spec, place, &type, &map->state, err);
  map->type = (const AddressMapType *)(const void *)type;
  if (status != OK) address_map_clear(map);
  return status;
}

void address_map_clear(AddressMap *map) {
  if (map->own) policy_host_clear(map->own);
  memory_free(map->own);
  *map = (AddressMap){0};
}
