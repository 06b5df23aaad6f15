// SPDX-License-Identifier: MIT
// Carve-out of shared memory from a unified L1D, as on Volta and later (sm.unified_kb,
// sm.shared_options_kb).
#include "sm/residency/carve_out.h"

#include <stdlib.h>
#include <string.h>

static Status add_option(CarveOut *carve_out, const char **at, Error *err) {
  char *end;
  unsigned long kb = strtoul(*at, &end, 10);
  bool is_number = **at >= '0' && **at <= '9' && (*end == ',' || !*end);
  uint32_t last = carve_out->option_count ? carve_out->options_kb[carve_out->option_count - 1] : 0;
  if (!is_number || carve_out->option_count == MAX_CARVE_OUTS ||
      (carve_out->option_count && kb <= last))
    return error_set(
        err, ERR_CONFIG,
        "sm.shared_options_kb: expected up to %d ascending numbers, such as 0,32,64, at '%.40s'",
        MAX_CARVE_OUTS, *at);
  if (kb >= carve_out->unified_kb)
    return error_set(err, ERR_CONFIG,
                     "sm.shared_options_kb: %lu KB leave no room for the L1D in sm.unified_kb = %u",
                     kb, carve_out->unified_kb);
  carve_out->options_kb[carve_out->option_count++] = (uint32_t)kb;
  *at = end;
  return OK;
}

Status carve_out_init(CarveOut *carve_out, const SmConfig *config, Error *err) {
  *carve_out = (CarveOut){.unified_kb = config->unified_kb, .chosen_kb = config->shared_kb};
  if (!config->unified_kb) return OK;
  const char *at = config->shared_options_kb;
  TRY(add_option(carve_out, &at, err));
  while (*at++) TRY(add_option(carve_out, &at, err));
  uint32_t largest = carve_out->options_kb[carve_out->option_count - 1];
  if (config->shared_kb > largest)
    return error_set(err, ERR_CONFIG,
                     "sm.shared_kb = %u exceeds the largest of sm.shared_options_kb = %s",
                     config->shared_kb, config->shared_options_kb);
  carve_out->chosen_kb = largest;
  return OK;
}

CacheConfig carve_out_l1d(const CarveOut *carve_out, const CacheConfig *l1d) {
  CacheConfig largest = *l1d;
  if (carve_out->unified_kb) largest.size_kb = carve_out->unified_kb;
  return largest;
}

// The smallest option that holds the shared memory of all CTAs that fit, which leaves most to
// the L1D. If none does, the largest.
bool carve_out_choose(CarveOut *carve_out, uint64_t shared_bytes) {
  uint32_t i = 0;
  while (i + 1 < carve_out->option_count && carve_out->options_kb[i] * UINT64_C(1024) < shared_bytes)
    i++;
  bool changes = carve_out->chosen_kb != carve_out->options_kb[i];
  carve_out->chosen_kb = carve_out->options_kb[i];
  return changes;
}

// Sizes change by ways, never by sets: the set of an address stays the same. Rounded to the
// nearest, at least one.
uint32_t carve_out_ways(const CarveOut *carve_out, uint32_t ways) {
  uint64_t left_kb = carve_out->unified_kb - carve_out->chosen_kb;
  uint64_t rounded = (2 * ways * left_kb + carve_out->unified_kb) / (2 * carve_out->unified_kb);
  return rounded ? (uint32_t)rounded : 1;
}
