// SPDX-License-Identifier: MIT
// Carve-out of shared memory from a unified L1D, as on Volta and later (sm.unified_kb,
// sm.shared_options_kb).
//
// An SM without CTAs selects the smallest carve-out that does not limit the resident CTAs
// of the kernel; the L1D gets the rest, as a number of ways, and is invalidated. While
// CTAs are resident the carve-out does not change: CTAs that do not fit wait. Simplified:
// a program cannot select the carve-out.
#ifndef SM_RESIDENCY_CARVE_OUT_H
#define SM_RESIDENCY_CARVE_OUT_H

#include "memory/cache/cache.h"
#include "sm/sm_config.h"

enum { MAX_CARVE_OUTS = 16 };

typedef struct CarveOut {
  uint32_t unified_kb;                  // 0: L1D and shared memory are apart
  uint32_t options_kb[MAX_CARVE_OUTS];  // for shared memory, ascending
  uint32_t option_count;
  uint32_t chosen_kb;
} CarveOut;

// Refuses options that do not fit the memory or leave nothing to the L1D.
Status carve_out_init(CarveOut *carve_out, const SmConfig *config, Error *err);
// The L1D's configuration at its largest; as it was where nothing is unified.
CacheConfig carve_out_l1d(const CarveOut *carve_out, const CacheConfig *l1d);
// Chooses for that much shared memory; true if that changes anything.
bool carve_out_choose(CarveOut *carve_out, uint64_t shared_bytes);
// Ways that remain for an L1D with this many.
uint32_t carve_out_ways(const CarveOut *carve_out, uint32_t ways);

#endif
