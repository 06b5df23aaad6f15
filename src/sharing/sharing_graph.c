// SPDX-License-Identifier: MIT
// Sharing graph of a kernel's CTAs, by lines that they both read, measured by the observer
// `sharing:graph=true`.
#include "sharing/sharing_graph.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/permutation.h"

static uint64_t number_of(const json_t *object, const char *key) {
  json_int_t number = json_integer_value(json_object_get(object, key));
  return number > 0 ? (uint64_t)number : 0;
}

static bool read_grid(const json_t *kernel, uint32_t grid[3]) {
  uint64_t ctas = 1;
  for (size_t i = 0; i < 3; i++) {
    json_int_t size = json_integer_value(json_array_get(json_object_get(kernel, "grid"), i));
    if (size < 1 || size > PERMUTATION_MAX_NUMBERS) return false;
    grid[i] = (uint32_t)size;
    ctas *= grid[i];
  }
  return ctas <= PERMUTATION_MAX_NUMBERS;
}

static SharingGraph *graph_of(SharingGraphs *graphs, const char *name, const uint32_t grid[3]) {
  for (uint32_t i = 0; i < graphs->count; i++)
    if (strcmp(graphs->items[i].kernel, name) == 0 &&
        memcmp(graphs->items[i].grid, grid, sizeof graphs->items[i].grid) == 0)
      return &graphs->items[i];
  GROW(graphs->items, graphs->count, graphs->capacity);
  SharingGraph *graph = &graphs->items[graphs->count++];
  *graph = (SharingGraph){.kernel = arena_strdup(&graphs->arena, name),
                          .cta_count = grid[0] * grid[1] * grid[2]};
  memcpy(graph->grid, grid, sizeof graph->grid);
  return graph;
}

static Status add_edges(SharingGraph *graph, const char *path, const json_t *rows, Error *err) {
  size_t i;
  const json_t *row;
  json_array_foreach(rows, i, row) {
    uint64_t a = number_of(row, "cta_a"), b = number_of(row, "cta_b");
    if (a >= b || b >= graph->cta_count)
      return error_set(err, ERR_CONFIG,
                       "%s: kernel %.80s: cta_sharing row %zu: not a pair of CTAs of the grid",
                       path, graph->kernel, i);
    GROW(graph->edges, graph->edge_count, graph->edge_capacity);
    graph->edges[graph->edge_count++] =
        (SharingEdge){.a = (uint32_t)a, .b = (uint32_t)b, .lines = number_of(row, "lines")};
  }
  graph->launches++;
  return OK;
}

static int by_pair(const void *x, const void *y) {
  const SharingEdge *a = x, *b = y;
  if (a->a != b->a) return a->a < b->a ? -1 : 1;
  return a->b < b->b ? -1 : a->b > b->b;
}

// Pairs that several launches have become one.
static void merge(SharingGraph *graph) {
  uint32_t kept = 0;
  if (graph->edge_count) qsort(graph->edges, graph->edge_count, sizeof *graph->edges, by_pair);
  for (uint32_t i = 0; i < graph->edge_count; i++) {
    graph->weight += graph->edges[i].lines;
    if (kept && by_pair(&graph->edges[kept - 1], &graph->edges[i]) == 0)
      graph->edges[kept - 1].lines += graph->edges[i].lines;
    else
      graph->edges[kept++] = graph->edges[i];
  }
  graph->edge_count = kept;
}

static Status read_kernels(SharingGraphs *graphs, const char *path, const json_t *result,
                           Error *err) {
  size_t i;
  const json_t *kernel;
  json_array_foreach(json_object_get(result, "kernels"), i, kernel) {
    const json_t *rows = json_object_get(kernel, "cta_sharing");
    const char *name = json_string_value(json_object_get(kernel, "readable_name"));
    uint32_t grid[3];
    if (!rows || !name || !read_grid(kernel, grid)) continue;
    TRY(add_edges(graph_of(graphs, name, grid), path, rows, err));
  }
  for (uint32_t g = 0; g < graphs->count; g++) merge(&graphs->items[g]);
  if (graphs->count) return OK;
  return error_set(err, ERR_CONFIG,
                   "%s: no sharing graph; run with --observe sharing:graph=true --json %s", path,
                   path);
}

Status sharing_graphs_read(SharingGraphs *graphs, const char *path, Error *err) {
  json_error_t error;
  json_t *result = json_load_file(path, 0, &error);
  if (!result) return error_set(err, ERR_CONFIG, "%s:%d: %s", path, error.line, error.text);
  *graphs = (SharingGraphs){0};
  const json_t *chip = json_object_get(json_object_get(result, "config"), "gpu");
  graphs->sm_count = (uint32_t)number_of(chip, "sm_count");
  Status status = read_kernels(graphs, path, result, err);
  json_decref(result);
  if (status != OK) sharing_graphs_clear(graphs);
  return status;
}

void sharing_graphs_clear(SharingGraphs *graphs) {
  for (uint32_t i = 0; i < graphs->count; i++) memory_free(graphs->items[i].edges);
  memory_free(graphs->items);
  arena_clear(&graphs->arena);
  *graphs = (SharingGraphs){0};
}

uint64_t sharing_graph_kept(const SharingGraph *graph, const uint32_t *cluster_of) {
  uint64_t kept = 0;
  for (uint32_t i = 0; i < graph->edge_count; i++)
    if (cluster_of[graph->edges[i].a] == cluster_of[graph->edges[i].b])
      kept += graph->edges[i].lines;
  return kept;
}
