// SPDX-License-Identifier: MIT
// As interleave, and channel and slice together are the remainder of the
// address, read as a polynomial over GF(2), by an irreducible polynomial.
//
// Rau, "Pseudo-randomly interleaved memory", ISCA 1991: strides of any power
// of two, and most others, visit all slices evenly. GPGPU-Sim uses it for
// Volta with 32 and 64 slices; below 2^33 these are its digits. Banks, rows
// and columns stay as they were.
//
// Where the channels are not a power of two, the hash covers the next power of
// two and its remainder by the number of slices counts, as in GPGPU-Sim: the
// 48 slices of a Titan V are 64 folded onto 48, so 16 of them get twice the
// requests of the others, and two lines of one slice may have the same DRAM row
// and column. Tags are whole addresses, so only timing sees it.
#include "policies/address_map/address_layout.h"

enum { MAX_DIGITS = 10 };

typedef struct Ipoly {
  AddressLayout layout;  // first: its parameters are ours
  uint32_t channel_bits, digits;
  bool folds;            // the channels are not a power of two
  uint64_t masks[MAX_DIGITS];  // digit i: parity of these bits above the slice
} Ipoly;

// Irreducible, by degree; bit i is the coefficient of x^i.
static const uint32_t polynomials[MAX_DIGITS + 1] = {0, 3, 7, 11, 19, 37, 67, 131, 285, 529, 1033};

static Status ipoly_check(const AddressMapView *view, Error *err) {
  uint64_t slices = (uint64_t)view->channels * view->slices_per_channel;
  if (slices > 1u << MAX_DIGITS)
    return error_set(err, ERR_CONFIG, "%llu slices; at most %u",
                     (unsigned long long)slices, 1u << MAX_DIGITS);
  return OK;
}

// The bit k places above the slice's digits counts as x^(digits + k).
static void derive_masks(Ipoly *map) {
  uint32_t polynomial = polynomials[map->digits], top = 1u << map->digits;
  uint32_t remainder = polynomial ^ top;
  for (uint32_t k = 0; k < 64; k++) {
    for (uint32_t i = 0; i < map->digits; i++) map->masks[i] |= (uint64_t)(remainder >> i & 1) << k;
    remainder <<= 1;
    if (remainder & top) remainder ^= polynomial;
  }
}

static Status ipoly_init(void *state, const PolicySetup *setup, Error *err) {
  Ipoly *map = state;
  const AddressMapView *view = setup->part;
  TRY(ipoly_check(view, err));
  TRY(address_layout_init(&map->layout, view, err));
  map->folds = (view->channels & (view->channels - 1)) != 0;
  map->channel_bits = map->folds ? 32u - (uint32_t)__builtin_clz(view->channels)
                                 : (uint32_t)__builtin_ctz(view->channels);
  map->digits = map->channel_bits + (uint32_t)__builtin_ctz(view->slices_per_channel);
  if (map->digits) derive_masks(map);
  return OK;
}

static uint32_t hash_of(const Ipoly *map, uint64_t above) {
  uint32_t hash = 0;
  for (uint32_t i = 0; i < map->digits; i++)
    hash |= (uint32_t)__builtin_parityll(above & map->masks[i]) << i;
  return hash;
}

// The number of the slice is hashed as a whole, with all that is above the channel's digit.
static void fold(const Ipoly *map, const AddressMapView *view, uint64_t address, MemLocation *out) {
  uint64_t above = (address >> map->layout.channel_shift) / view->channels;
  uint32_t hashed = out->slice ^ hash_of(map, above);
  out->slice = hashed % (view->channels * view->slices_per_channel);
  out->channel = out->slice / view->slices_per_channel;
}

static void ipoly_locate(const void *state, const AddressMapView *view, uint64_t address,
                         MemLocation *out) {
  const Ipoly *map = state;
  address_layout_locate(&map->layout, view, address, out);
  if (map->folds) {
    fold(map, view, address, out);
    return;
  }
  uint32_t hash = hash_of(map, out->local >> map->layout.channel_shift);
  uint32_t slice = out->slice - out->channel * view->slices_per_channel;
  out->channel ^= hash & (view->channels - 1);
  out->slice = out->channel * view->slices_per_channel + (slice ^ hash >> map->channel_bits);
}

static const Param ipoly_params[] = {ADDRESS_LAYOUT_PARAMS, {0}};

const AddressMapType ipoly_address_map = {
    .policy = {.name = "ipoly",
               .summary = "interleave with a polynomial hash of channel and slice (IPOLY)",
               .state_size = sizeof(Ipoly),
               .params = ipoly_params,
               .init = ipoly_init},
    .locate = ipoly_locate,
};
