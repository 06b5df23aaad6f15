// SPDX-License-Identifier: MIT
// Thread block clusters on the GPU: all CTAs of one start in the same cycle, on SMs of one GPC
// (gpu.gpc_sms in a row), as many SMs as have room. Policies of dispatch are not asked.
//
// What a CTA does to another happens when its instruction issues; the other SM hears of it at the
// end of the cycle. Kernels with clusters are therefore simulated by one thread, cycle by cycle.
#include "gpu/kernels/cta_clusters.h"

#include "base/memory.h"
#include "exec/cluster.h"
#include "gpu/machine.h"

struct GpuCluster {
  CtaCluster cluster;
  uint32_t sms[MAX_CLUSTER_CTAS];
  GpuCluster *next;
};

// ---- where

// Places the CTAs on SMs of the GPC that begins at `first`, one each as long as there are SMs.
static bool place(const Gpu *gpu, const GpuKernel *kernel, uint32_t first, uint32_t size,
                  uint32_t sms[MAX_CLUSTER_CTAS]) {
  uint32_t count = gpu->config.gpu.gpc_sms, free[64], placed = 0;
  if (first + count > gpu->sm_count) count = gpu->sm_count - first;
  for (uint32_t i = 0; i < count; i++) free[i] = dispatch_free_ctas(gpu, kernel, first + i);
  for (bool any = true; placed < size && any;) {
    any = false;
    for (uint32_t i = 0; i < count && placed < size; i++) {
      if (!free[i]) continue;
      free[i]--;
      sms[placed++] = first + i;
      any = true;
    }
  }
  return placed == size;
}

// ---- start and end

static CtaSlot *slot_of(Gpu *gpu, uint32_t s, const KernelRun *kernel, uint64_t linear) {
  Sm *sm = gpu->sms[s];
  for (uint32_t i = 0; i < gpu->config.sm.max_ctas; i++)
    if (sm->ctas[i].kernel == kernel && sm->ctas[i].cta.linear == linear) return &sm->ctas[i];
  return NULL;
}

static void start(Gpu *gpu, GpuKernel *kernel, const uint32_t sms[MAX_CLUSTER_CTAS]) {
  Launch *launch = kernel->run.launch;
  GpuCluster *made = memory_alloc(sizeof *made);
  made->cluster.size = launch_cluster_size(launch);
  for (uint32_t r = 0; r < made->cluster.size; r++) {
    uint64_t linear = launch_cluster_cta(launch, kernel->next_cluster, r);
    made->sms[r] = sms[r];
    dispatch_start_cta(gpu, kernel, linear, sms[r]);
    cluster_join(&made->cluster, &slot_of(gpu, sms[r], &kernel->run, linear)->cta, r);
  }
  kernel->next_cluster++;
  made->next = gpu->clusters;
  gpu->clusters = made;
}

// The GPCs take turns.
static bool start_next(Gpu *gpu, GpuKernel *kernel) {
  uint32_t size = launch_cluster_size(kernel->run.launch), width = gpu->config.gpu.gpc_sms;
  uint32_t gpcs = (gpu->sm_count + width - 1) / width, sms[MAX_CLUSTER_CTAS];
  for (uint32_t i = 0; i < gpcs; i++) {
    uint32_t gpc = (gpu->next_gpc + i) % gpcs;
    if (!place(gpu, kernel, gpc * width, size, sms)) continue;
    gpu->next_gpc = gpc + 1;
    start(gpu, kernel, sms);
    return true;
  }
  return false;
}

bool cta_clusters_dispatch(Gpu *gpu) {
  bool any = false;
  for (uint32_t i = 0; i < gpu->queue.running_count; i++) {
    GpuKernel *kernel = gpu_kernel_at(gpu, gpu->queue.running[i]);
    const KernelRun *run = &kernel->run;
    if (launch_cluster_size(run->launch) == 1) continue;
    while (run->next_cta < run->cta_count && !dispatch_is_launching(gpu, kernel) &&
           start_next(gpu, kernel))
      any = true;
  }
  return any;
}

// ---- what others have to hear of

static void tell(Gpu *gpu, GpuCluster *cluster) {
  for (uint32_t r = 0; r < cluster->cluster.size; r++) {
    Cta *cta = cluster->cluster.ctas[r];
    if (!cta) continue;
    Sm *sm = gpu->sms[cluster->sms[r]];
    // The member is the first of its slot.
    CtaSlot *slot = (CtaSlot *)(void *)((char *)cta - offsetof(CtaSlot, cta));
    Cycle passed = gpu->now + 1 + gpu->config.gpu.cluster_barrier_cycles;
    sm_hear_cluster(sm, slot, cluster->cluster.was_released ? passed : 0);
  }
}

void cta_clusters_settle(Gpu *gpu) {
  for (GpuCluster **link = &gpu->clusters; *link;) {
    GpuCluster *cluster = *link;
    if (cluster->cluster.has_changed) tell(gpu, cluster);
    cluster->cluster.has_changed = cluster->cluster.was_released = false;
    if (cluster->cluster.live) {
      link = &cluster->next;
      continue;
    }
    *link = cluster->next;
    memory_free(cluster);
  }
}

void cta_clusters_clear(Gpu *gpu) {
  for (GpuCluster *next; gpu->clusters; gpu->clusters = next) {
    next = gpu->clusters->next;
    memory_free(gpu->clusters);
  }
}
