// SPDX-License-Identifier: MIT
// Adjacency lists of a sharing graph, in METIS's layout.
#include "sharing/adjacency.h"

#include "base/memory.h"

void adjacency_init(Adjacency *adjacency, const SharingGraph *graph) {
  uint64_t scale = graph->weight / (INT32_MAX / 4) + 1;
  size_t ends = (size_t)graph->edge_count * 2;
  adjacency->first = memory_alloc(sizeof(int32_t) * ((size_t)graph->cta_count + 2));
  adjacency->neighbour = memory_alloc(sizeof(int32_t) * (ends + 1));
  adjacency->weight = memory_alloc(sizeof(int32_t) * (ends + 1));
  int32_t *at = adjacency->first + 1;  // at[v]: where the next neighbour of v goes
  for (uint32_t i = 0; i < graph->edge_count; i++)
    at[graph->edges[i].a + 1]++, at[graph->edges[i].b + 1]++;
  for (uint32_t v = 1; v <= graph->cta_count; v++) at[v] += at[v - 1];
  // Edges are in order, so the lower neighbours of a CTA come before the higher ones.
  for (uint32_t i = 0; i < graph->edge_count; i++) {
    const SharingEdge *edge = &graph->edges[i];
    int32_t weight = (int32_t)(edge->lines / scale), to_b = at[edge->a]++, to_a = at[edge->b]++;
    adjacency->neighbour[to_b] = (int32_t)edge->b;
    adjacency->neighbour[to_a] = (int32_t)edge->a;
    adjacency->weight[to_b] = adjacency->weight[to_a] = weight > 0 ? weight : 1;
  }
}

void adjacency_clear(Adjacency *adjacency) {
  memory_free(adjacency->first);
  memory_free(adjacency->neighbour);
  memory_free(adjacency->weight);
}
