// SPDX-License-Identifier: MIT
// Thread block clusters on the GPU (exec/cluster.h).
#ifndef GPU_KERNELS_CTA_CLUSTERS_H
#define GPU_KERNELS_CTA_CLUSTERS_H

#include <stdbool.h>

typedef struct Gpu Gpu;
typedef struct GpuCluster GpuCluster;

// Starts clusters of running kernels that fit; true if any did.
bool cta_clusters_dispatch(Gpu *gpu);
// At the end of a cycle: SMs hear of barriers that are complete and of changes to their shared
// memory; clusters whose CTAs have all ended are freed.
void cta_clusters_settle(Gpu *gpu);
void cta_clusters_clear(Gpu *gpu);

#endif
