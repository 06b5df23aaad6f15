// SPDX-License-Identifier: MIT
// One step of Kernighan and Lin (1970), without their look-ahead.
#include "sharing/refine.h"

#include <stdbool.h>

#include "base/memory.h"

enum { MAX_ROUNDS = 50, MAX_CTAS = 8192, MAX_ENTRIES = 1 << 22 };

typedef struct Refinement {
  const Adjacency *adjacency;
  uint32_t ctas, clusters;
  uint32_t *cluster_of;
  int64_t *shared;  // [cta * clusters + i]: lines that the CTA shares with cluster i
} Refinement;

static int64_t shared_with(const Refinement *refinement, uint32_t cta, uint32_t cluster) {
  return refinement->shared[(size_t)cta * refinement->clusters + cluster];
}

static int64_t weight_between(const Adjacency *adjacency, uint32_t a, uint32_t b) {
  for (int32_t i = adjacency->first[a]; i < adjacency->first[a + 1]; i++)
    if ((uint32_t)adjacency->neighbour[i] == b) return adjacency->weight[i];
  return 0;
}

static int64_t gain_of_exchange(const Refinement *refinement, uint32_t a, uint32_t b) {
  uint32_t of_a = refinement->cluster_of[a], of_b = refinement->cluster_of[b];
  int64_t gain = shared_with(refinement, a, of_b) - shared_with(refinement, a, of_a) +
                 shared_with(refinement, b, of_a) - shared_with(refinement, b, of_b);
  // Each would find the other gone.
  return gain > 0 ? gain - 2 * weight_between(refinement->adjacency, a, b) : gain;
}

static void move(Refinement *refinement, uint32_t cta, uint32_t to) {
  const Adjacency *adjacency = refinement->adjacency;
  uint32_t from = refinement->cluster_of[cta];
  for (int32_t i = adjacency->first[cta]; i < adjacency->first[cta + 1]; i++) {
    int64_t *of = &refinement->shared[(size_t)adjacency->neighbour[i] * refinement->clusters];
    of[from] -= adjacency->weight[i];
    of[to] += adjacency->weight[i];
  }
  refinement->cluster_of[cta] = to;
}

static bool exchange_some(Refinement *refinement) {
  bool any = false;
  for (uint32_t a = 0; a < refinement->ctas; a++)
    for (uint32_t b = a + 1; b < refinement->ctas; b++) {
      uint32_t of_a = refinement->cluster_of[a], of_b = refinement->cluster_of[b];
      if (of_a == of_b || gain_of_exchange(refinement, a, b) <= 0) continue;
      move(refinement, a, of_b);
      move(refinement, b, of_a);
      any = true;
    }
  return any;
}

void partition_refine(const Adjacency *adjacency, uint32_t ctas, uint32_t clusters,
                      uint32_t *cluster_of) {
  if (ctas > MAX_CTAS || (uint64_t)ctas * clusters > MAX_ENTRIES) return;
  Refinement refinement = {.adjacency = adjacency,
                           .ctas = ctas,
                           .clusters = clusters,
                           .cluster_of = cluster_of,
                           .shared = memory_alloc(sizeof(int64_t) * ctas * clusters)};
  for (uint32_t cta = 0; cta < ctas; cta++)
    for (int32_t i = adjacency->first[cta]; i < adjacency->first[cta + 1]; i++)
      refinement.shared[(size_t)cta * clusters + cluster_of[adjacency->neighbour[i]]] +=
          adjacency->weight[i];
  for (int round = 0; round < MAX_ROUNDS && exchange_some(&refinement); round++) continue;
  memory_free(refinement.shared);
}
