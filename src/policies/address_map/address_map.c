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
  return !map->check ? "check" : (!map->locate ? "locate" : NULL);
}

const PolicyFamily address_map_family = {
    .name = "address_map",
    .question = "in which channel, slice, bank, row and column does an address lie?",
    .types = types,
    .missing = missing,
};

static Status configure(AddressMap *map, const char *spec, Error *err) {
  TRY(policy_init(&map->type->policy, spec, map->state, err));
  TRY(map->type->check(map->state, &map->view, err));
  if (map->type->prepare) map->type->prepare(map->state, &map->view);
  return OK;
}

Status address_map_init(AddressMap *map, const PolicySet *more, const char *spec,
                        const AddressMapView *view, Error *err) {
  *map = (AddressMap){.view = *view};
  const PolicyType *type;
  TRY(policy_find(&address_map_family, more, spec, &type, err));
  map->type = (const AddressMapType *)(const void *)type;
  map->state = memory_alloc(type->state_size ? type->state_size : 1);
  Status status = configure(map, spec, err);
  if (status != OK) address_map_clear(map);
  return status;
}

void address_map_clear(AddressMap *map) {
  memory_free(map->state);
  *map = (AddressMap){0};
}
