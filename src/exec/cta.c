// SPDX-License-Identifier: MIT
// Prepares the warps and memories of a CTA for functional execution.
#include "exec/cta.h"

#include <string.h>

#include "exec/warp.h"

void cta_start(Cta *cta, const Launch *launch, uint64_t linear, uint8_t *shared, Warp *warps,
               uint32_t first_hardware_warp) {
  const uint32_t *grid = launch->grid;
  *cta = (Cta){
      .launch = launch,
      .ctaid = {(uint32_t)(linear % grid[0]), (uint32_t)(linear / grid[0] % grid[1]),
                (uint32_t)(linear / grid[0] / grid[1])},
      .linear = linear,
      .shared = shared,
      .shared_bytes = launch_shared_bytes(launch),
      .warps = warps,
      .warp_count = launch_warps_per_cta(launch),
  };
  cta->live_warps = cta->warp_count;
  for (uint32_t i = 0; i < cta->warp_count; i++)
    warp_start(&warps[i], cta, i, first_hardware_warp + i);
}
