// SPDX-License-Identifier: MIT
// Data of the page's figures about a kernel (docs/report-data.md): what the machine could do and
// did, where its data came from, and what one step of the launch would change.
#ifndef EXPLAIN_CHARTS_H
#define EXPLAIN_CHARTS_H

#include "explain/facts.h"
#include "gpu/config/gpu_config.h"

// Peaks per cycle of the whole GPU, of L1, L2 and DRAM in bytes and of each arithmetic unit in
// lanes, with what the kernel used of them. An access to the L1 counts as a whole transaction.
json_t *chart_roofline(const RunFacts *facts, const KernelFacts *kernel);
// Bytes between SM, L1, shared memory, L2 and DRAM, and hits of the caches.
json_t *chart_memory(const RunFacts *facts, const KernelFacts *kernel);
// Resident warps per SM over block size, registers per thread and shared memory per CTA.
json_t *chart_occupancy(const GpuConfig *config, const KernelFacts *kernel);
// Accesses to lines by who had them before; NULL if it was not recorded.
json_t *chart_reuse(const KernelFacts *kernel);

#endif
