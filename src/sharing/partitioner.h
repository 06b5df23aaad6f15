// SPDX-License-Identifier: MIT
// Partitions of a sharing graph into clusters whose sizes differ by at most one:
// by METIS (Karypis and Kumar, SIAM J. Sci. Comput. 1998), and by an order of the grid's
// CTAs.
#ifndef SHARING_PARTITIONER_H
#define SHARING_PARTITIONER_H

#include "sharing/sharing_graph.h"
#include "policies/cta_dispatch/cta_order.h"

// cluster_of: by CTA. The first cta_count % clusters clusters have one CTA more.
Status partition_by_metis(const SharingGraph *graph, uint32_t clusters, uint32_t *cluster_of,
                          Error *err);
void partition_by_order(const SharingGraph *graph, uint32_t clusters, const CtaOrder *order,
                        uint32_t *cluster_of);
// What round-robin dispatch does to the first wave: CTA v to cluster v % clusters.
void partition_round_robin(const SharingGraph *graph, uint32_t clusters, uint32_t *cluster_of);

// Exchanges CTAs of two clusters as long as that keeps more within clusters.
void partition_improve(const SharingGraph *graph, uint32_t clusters, uint32_t *cluster_of);

// The number of each CTA such that clusters are runs of consecutive numbers.
void partition_number(const SharingGraph *graph, uint32_t clusters, const uint32_t *cluster_of,
                      uint32_t *numbers);

#endif
