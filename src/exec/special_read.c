// SPDX-License-Identifier: MIT
// Values of special registers.
//
// %envreg1 and %envreg2 hold the address of a cooperative
// launch's workspace, as drivers put it there, and the other %envreg are zero.
#include "exec/execute.h"
#include "exec/lanes.h"

// Threads are numbered x first; the lanes of a warp are 32 in a row.
static void read_tid(const Warp *warp, int axis, Lane32 *lanes) {
  const uint32_t *block = warp->cta->launch->block;
  uint32_t first = warp->index * WARP_LANES;
  uint32_t at[3] = {first % block[0], first / block[0] % block[1], first / block[0] / block[1]};
  for (int lane = 0; lane < WARP_LANES; lane++) {
    lanes[lane] = at[axis];
    if (++at[0] < block[0]) continue;
    at[0] = 0;
    if (++at[1] < block[1]) continue;
    at[1] = 0;
    at[2]++;
  }
}

static uint64_t nanoseconds(const ExecContext *context) {
  if (!context->clock_mhz) return context->clock;
  uint64_t whole = context->clock / context->clock_mhz, rest = context->clock % context->clock_mhz;
  return whole * 1000 + rest * 1000 / context->clock_mhz;
}

static uint32_t lane_value(SpecialRegister special, int lane) {
  uint32_t bit = UINT32_C(1) << lane;
  switch (special) {
    case SPECIAL_LANEID: return (uint32_t)lane;
    case SPECIAL_LANEMASK_EQ: return bit;
    case SPECIAL_LANEMASK_LE: return bit | (bit - 1);
    case SPECIAL_LANEMASK_LT: return bit - 1;
    case SPECIAL_LANEMASK_GE: return ~(bit - 1);
    default: return ~(bit - 1) & ~bit;  // LANEMASK_GT
  }
}

// The value of a register that is the same in all lanes.
static uint64_t uniform_value(const ExecContext *context, const Warp *warp,
                              SpecialRegister special) {
  const Cta *cta = warp->cta;
  const Launch *launch = cta->launch;
  switch (special) {
    case SPECIAL_NTID_X:
    case SPECIAL_NTID_Y:
    case SPECIAL_NTID_Z: return launch->block[special - SPECIAL_NTID_X];
    case SPECIAL_CTAID_X:
    case SPECIAL_CTAID_Y:
    case SPECIAL_CTAID_Z: return cta->ctaid[special - SPECIAL_CTAID_X];
    case SPECIAL_NCTAID_X:
    case SPECIAL_NCTAID_Y:
    case SPECIAL_NCTAID_Z: return launch->grid[special - SPECIAL_NCTAID_X];
    case SPECIAL_CLUSTERID_X:
    case SPECIAL_CLUSTERID_Y:
    case SPECIAL_CLUSTERID_Z:
      return cta->ctaid[special - SPECIAL_CLUSTERID_X] /
             launch->cluster[special - SPECIAL_CLUSTERID_X];
    case SPECIAL_NCLUSTERID_X:
    case SPECIAL_NCLUSTERID_Y:
    case SPECIAL_NCLUSTERID_Z:
      return launch->grid[special - SPECIAL_NCLUSTERID_X] /
             launch->cluster[special - SPECIAL_NCLUSTERID_X];
    case SPECIAL_CLUSTER_CTAID_X:
    case SPECIAL_CLUSTER_CTAID_Y:
    case SPECIAL_CLUSTER_CTAID_Z:
      return cta->ctaid[special - SPECIAL_CLUSTER_CTAID_X] %
             launch->cluster[special - SPECIAL_CLUSTER_CTAID_X];
    case SPECIAL_CLUSTER_NCTAID_X:
    case SPECIAL_CLUSTER_NCTAID_Y:
    case SPECIAL_CLUSTER_NCTAID_Z: return launch->cluster[special - SPECIAL_CLUSTER_NCTAID_X];
    case SPECIAL_CLUSTER_NCTARANK: return launch_cluster_size(launch);
    case SPECIAL_CLUSTER_CTARANK: return cta->rank;
    case SPECIAL_IS_EXPLICIT_CLUSTER: return launch_cluster_size(launch) > 1;
    case SPECIAL_WARPID: return warp->hardware_id;
    case SPECIAL_NWARPID: return context->warps_per_sm;
    case SPECIAL_SMID: return context->sm_id;
    case SPECIAL_NSMID: return context->sm_count;
    case SPECIAL_GRIDID: return launch->grid_id;
    case SPECIAL_CLOCK:
    case SPECIAL_CLOCK64: return context->clock;
    case SPECIAL_CLOCK_HI: return context->clock >> 32;
    case SPECIAL_GLOBALTIMER:
    case SPECIAL_GLOBALTIMER_LO: return nanoseconds(context);
    case SPECIAL_GLOBALTIMER_HI: return nanoseconds(context) >> 32;
    case SPECIAL_TOTAL_SMEM:
    case SPECIAL_AGGR_SMEM: return cta->shared_bytes;
    // We reserve none: where it would begin, behind the CTA's own, every access faults.
    case SPECIAL_RESERVED_SMEM_0:
    case SPECIAL_RESERVED_SMEM_1: return cta->shared_bytes;
    case SPECIAL_DYNAMIC_SMEM: return launch->dynamic_shared_bytes;
    case SPECIAL_WARP_SZ: return WARP_LANES;
    case SPECIAL_ENVREG1: return launch->workspace >> 32;
    case SPECIAL_ENVREG2: return launch->workspace & UINT32_MAX;
    default: return 0;  // other ENVREG
  }
}

static void fill(uint64_t value, int bits, void *lanes) {
  Lane32 *narrow = lanes;
  Lane64 *wide = lanes;
  if (bits == 64)
    LANES(wide, FULL_MASK, value);
  else
    LANES(narrow, FULL_MASK, (uint32_t)value);
}

void special_read(const ExecContext *context, const Warp *warp, SpecialRegister special,
                  void *lanes) {
  Lane32 *d = lanes;
  switch (special) {
    case SPECIAL_TID_X:
    case SPECIAL_TID_Y:
    case SPECIAL_TID_Z: read_tid(warp, (int)(special - SPECIAL_TID_X), lanes); break;
    case SPECIAL_LANEID:
    case SPECIAL_LANEMASK_EQ:
    case SPECIAL_LANEMASK_LE:
    case SPECIAL_LANEMASK_LT:
    case SPECIAL_LANEMASK_GE:
    case SPECIAL_LANEMASK_GT:
      for (int lane = 0; lane < WARP_LANES; lane++) d[lane] = lane_value(special, lane);
      break;
    default: fill(uniform_value(context, warp, special), special_bits(special), lanes);
  }
}
