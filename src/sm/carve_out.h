// SPDX-License-Identifier: MIT
// How an SM whose L1D and shared memory are one memory divides it, as Volta and
// later do (sm.unified_kb, sm.shared_options_kb).
//
// An SM without CTAs takes the smallest part for shared memory that holds as
// many CTAs of the kernel as fit otherwise; the L1D gets the rest, that is, some
// of its ways, and starts empty. While CTAs are there, the division stays: what
// does not fit waits. Simplified: a program cannot ask for a division.
#ifndef SM_CARVE_OUT_H
#define SM_CARVE_OUT_H

#include "memory/cache.h"
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
