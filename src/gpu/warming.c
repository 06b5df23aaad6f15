// SPDX-License-Identifier: MIT
// Warming of caches by functional execution. What an SM's L1D does not have goes on to the L2.
// Left out: constants, textures, instructions and local memory, and what policies would keep out of
// the L1D. Likewise what spared accesses leave behind.
#include "gpu/machine.h"

// The partition of an address, and the slice in it.
static Partition *find_slice(const Gpu *gpu, uint64_t address, uint32_t *slice) {
  MemLocation place;
  address_map_locate(&gpu->map, address, &place);
  *slice = place.slice - place.channel * gpu->config.gpu.slices_per_channel;
  return gpu->partitions[place.channel];
}

static void warm_l2(Gpu *gpu, const GpuWarmAccess *access, uint32_t sector) {
  uint64_t address = access->line + sector * SECTOR_BYTES;
  uint32_t slice;
  Partition *partition = find_slice(gpu, address, &slice);
  partition_warm(partition, slice, address, access->is_write, access->full >> sector & 1, gpu->now);
}

bool gpu_l2_holds(const Gpu *gpu, uint64_t address) {
  uint32_t slice;
  Partition *partition = find_slice(gpu, address, &slice);
  return partition_holds(partition, slice, address);
}

// The part of a divided L1D: CTA slots take turns.
static Cache *l1d_of(const Gpu *gpu, const GpuWarmAccess *access) {
  if (access->sm >= gpu->sm_count || access->is_atomic) return NULL;
  const Lsu *lsu = &gpu->sms[access->sm]->lsu;
  return lsu->l1_parts ? lsu->l1d[access->cta % lsu->l1_parts] : NULL;
}

void gpu_warm(Gpu *gpu, const GpuWarmAccess *access) {
  Cache *l1d = l1d_of(gpu, access);
  for (uint32_t s = 0; s < GPU_WARM_LINE_BYTES / SECTOR_BYTES; s++) {
    uint64_t address = access->line + s * SECTOR_BYTES;
    if (!(access->sectors >> s & 1)) continue;
    bool hits =
        l1d && cache_warm(l1d, address, address, access->is_write, access->full >> s & 1, gpu->now);
    if (!hits || access->is_write) warm_l2(gpu, access, s);
  }
}

static void take_left_line(Gpu *gpu, const LeftLine *line) {
  for (uint32_t left = line->sectors; left; left &= left - 1) {
    uint64_t address = line->address + (uint64_t)SECTOR_BYTES * (uint32_t)__builtin_ctz(left);
    uint32_t slice;
    if (line->is_owed) {
      owed_sectors_add(&gpu->owed, address);
    } else {
      Partition *partition = find_slice(gpu, address, &slice);
      partition_warm(partition, slice, address, false, false, gpu->now);
    }
  }
}

// Clean in the L2, also those that were stored: they cost nothing later, either.
void gpu_take_left_lines(Gpu *gpu) {
  for (uint32_t i = 0; i < gpu->active_count; i++) {
    LeftLines *left = &gpu->sms[gpu->active[i]]->ideal.left;
    for (uint32_t k = 0; k < left->count; k++) take_left_line(gpu, &left->items[k]);
    left->count = 0;
  }
}
