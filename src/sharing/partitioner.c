// SPDX-License-Identifier: MIT
// Partitions of a sharing graph into clusters whose sizes differ by at most one: by METIS (Karypis
// and Kumar, SIAM J.
#include "sharing/partitioner.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "sharing/refine.h"

// ---- orders

void partition_by_order(const SharingGraph *graph, uint32_t clusters, const CtaOrder *order,
                        uint32_t *cluster_of) {
  for (uint32_t v = 0; v < graph->cta_count; v++)
    cluster_of[cta_order_cta(order, graph->grid, v)] =
        partition_cluster(graph->cta_count, clusters, v);
}

void partition_round_robin(const SharingGraph *graph, uint32_t clusters, uint32_t *cluster_of) {
  for (uint32_t v = 0; v < graph->cta_count; v++) cluster_of[v] = v % clusters;
}

void partition_number(const SharingGraph *graph, uint32_t clusters, const uint32_t *cluster_of,
                      uint32_t *numbers) {
  uint64_t *next = memory_alloc(sizeof *next * clusters);
  for (uint32_t i = 0; i < clusters; i++) next[i] = partition_first(graph->cta_count, clusters, i);
  for (uint32_t cta = 0; cta < graph->cta_count; cta++)
    numbers[cta] = (uint32_t)next[cluster_of[cta]]++;
  memory_free(next);
}

void partition_improve(const SharingGraph *graph, uint32_t clusters, uint32_t *cluster_of) {
  Adjacency adjacency;
  adjacency_init(&adjacency, graph);
  partition_refine(&adjacency, graph->cta_count, clusters, cluster_of);
  adjacency_clear(&adjacency);
}

#ifdef HEDDLE_HAS_METIS
#include <metis.h>

_Static_assert(sizeof(idx_t) == sizeof(int32_t), "METIS was built with a different index width");

// ---- sizes: METIS's parts are nearly equal, ours must differ by at most one

typedef struct Part {
  uint32_t number, size;
} Part;

static int larger_first(const void *x, const void *y) {
  const Part *a = x, *b = y;
  if (a->size != b->size) return a->size > b->size ? -1 : 1;
  return a->number < b->number ? -1 : 1;
}

// The largest parts become the clusters that may hold one CTA more.
static void rename_parts(uint32_t *cluster_of, uint32_t *sizes, uint32_t ctas, uint32_t clusters) {
  Part *parts = memory_alloc(sizeof *parts * clusters);
  uint32_t *name = memory_alloc(sizeof *name * clusters);
  for (uint32_t i = 0; i < clusters; i++) parts[i].number = i;
  for (uint32_t cta = 0; cta < ctas; cta++) parts[cluster_of[cta]].size++;
  qsort(parts, clusters, sizeof *parts, larger_first);
  for (uint32_t i = 0; i < clusters; i++) {
    name[parts[i].number] = i;
    sizes[i] = parts[i].size;
  }
  for (uint32_t cta = 0; cta < ctas; cta++) cluster_of[cta] = name[cluster_of[cta]];
  memory_free(parts);
  memory_free(name);
}

typedef struct Move {
  uint32_t cta, to;
  int64_t gain;  // weight that is kept more; mostly negative
  bool is_found;
} Move;

// shared: by cluster, with how much weight a CTA is connected to it.
static void consider(Move *best, const int64_t *shared, const uint32_t *sizes, uint32_t ctas,
                     uint32_t clusters, uint32_t cta, uint32_t from) {
  for (uint32_t to = 0; to < clusters; to++) {
    int64_t gain = shared[to] - shared[from];
    if (sizes[to] >= partition_size(ctas, clusters, to)) continue;
    if (best->is_found && gain <= best->gain) continue;
    *best = (Move){.cta = cta, .to = to, .gain = gain, .is_found = true};
  }
}

// The CTA of a cluster that is too large which loses least elsewhere.
static Move best_move(const Adjacency *adjacency, const uint32_t *cluster_of, const uint32_t *sizes,
                      uint32_t ctas, uint32_t clusters, int64_t *shared) {
  Move best = {0};
  for (uint32_t cta = 0; cta < ctas; cta++) {
    uint32_t from = cluster_of[cta];
    if (sizes[from] <= partition_size(ctas, clusters, from)) continue;
    for (uint32_t i = 0; i < clusters; i++) shared[i] = 0;
    for (int32_t i = adjacency->first[cta]; i < adjacency->first[cta + 1]; i++)
      shared[cluster_of[adjacency->neighbour[i]]] += adjacency->weight[i];
    consider(&best, shared, sizes, ctas, clusters, cta, from);
  }
  return best;
}

static void balance(const Adjacency *adjacency, uint32_t *cluster_of, uint32_t ctas,
                    uint32_t clusters) {
  uint32_t *sizes = memory_alloc(sizeof *sizes * clusters);
  int64_t *shared = memory_alloc(sizeof *shared * clusters);
  rename_parts(cluster_of, sizes, ctas, clusters);
  for (;;) {
    Move move = best_move(adjacency, cluster_of, sizes, ctas, clusters, shared);
    if (!move.is_found) break;
    sizes[cluster_of[move.cta]]--;
    sizes[move.to]++;
    cluster_of[move.cta] = move.to;
  }
  memory_free(sizes);
  memory_free(shared);
}

static Status run_metis(const SharingGraph *graph, const Adjacency *adjacency, uint32_t clusters,
                        idx_t *part, Error *err) {
  idx_t vertices = (idx_t)graph->cta_count, constraints = 1, parts = (idx_t)clusters, cut;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_NCUTS] = 4;    // the best of four
  options[METIS_OPTION_UFACTOR] = 1;  // as even as it can
  int status =
      METIS_PartGraphKway(&vertices, &constraints, adjacency->first, adjacency->neighbour, NULL,
                          NULL, adjacency->weight, &parts, NULL, NULL, options, &cut, part);
  if (status == METIS_OK) return OK;
  return error_set(err, ERR_INTERNAL, "METIS failed on kernel %.80s (status %d)", graph->kernel,
                   status);
}

Status partition_by_metis(const SharingGraph *graph, uint32_t clusters, uint32_t *cluster_of,
                          Error *err) {
  if (clusters == 1 || clusters >= graph->cta_count || graph->edge_count == 0) {
    partition_by_order(graph, clusters, &(CtaOrder){.kind = CTA_ORDER_ROW}, cluster_of);
    return OK;
  }
  Adjacency adjacency;
  idx_t *part = memory_alloc(sizeof *part * graph->cta_count);
  adjacency_init(&adjacency, graph);
  Status status = run_metis(graph, &adjacency, clusters, part, err);
  for (uint32_t cta = 0; cta < graph->cta_count; cta++) cluster_of[cta] = (uint32_t)part[cta];
  if (status == OK) balance(&adjacency, cluster_of, graph->cta_count, clusters);
  adjacency_clear(&adjacency);
  memory_free(part);
  return status;
}

#else

Status partition_by_metis(const SharingGraph *graph, uint32_t clusters, uint32_t *cluster_of,
                          Error *err) {
  (void)graph, (void)clusters, (void)cluster_of;
  return error_set(err, ERR_UNSUPPORTED,
                   "this Heddle was built without METIS; install libmetis-dev and rebuild");
}

#endif
