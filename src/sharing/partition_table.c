// SPDX-License-Identifier: MIT
// Tries partitions of a sharing graph, prints them as a table and writes the best as a map.
#include "sharing/partition_table.h"

#include <string.h>

#include "base/files/replaced_file.h"
#include "base/memory.h"
#include "base/text/text_table.h"
#include "sharing/partitioner.h"

// "scale" also names "scale(float*)".
static bool is_wanted(const PartitionRequest *request, const SharingGraph *graph) {
  if (!request->kernel) return true;
  size_t length = strlen(request->kernel);
  return strncmp(graph->kernel, request->kernel, length) == 0 &&
         (!graph->kernel[length] || strchr("(<", graph->kernel[length]));
}

static const SharingGraph *only_wanted(const SharingGraphs *graphs, const PartitionRequest *request,
                                       uint32_t *count) {
  const SharingGraph *found = NULL;
  *count = 0;
  for (uint32_t i = 0; i < graphs->count; i++) {
    if (!is_wanted(request, &graphs->items[i])) continue;
    found = &graphs->items[i];
    ++*count;
  }
  return found;
}

static Status check_choice(const SharingGraphs *graphs, const PartitionRequest *request,
                           Error *err) {
  uint32_t count;
  only_wanted(graphs, request, &count);
  if (count == 0)
    return error_set(err, ERR_USAGE, "--kernel %.80s: unknown kernel; available: %.80s%s",
                     request->kernel, graphs->items[0].kernel,
                     graphs->count > 1 ? ", among others" : "");
  if (request->output && count > 1)
    return error_set(
        err, ERR_USAGE,
        "%u kernels or grid sizes to partition; a map covers one: choose it with --kernel", count);
  return OK;
}

// ---- sharing within clusters

// Partitions of one graph, in the order of evaluation.
typedef struct Trial {
  const SharingGraph *graph;
  uint32_t clusters;
  TextTable table;
  uint32_t *cluster_of, *improved, *best;  // by CTA
  uint64_t best_kept;
  bool has_best;
} Trial;

static void add_row(Trial *trial, const char *name, const uint32_t *cluster_of) {
  const SharingGraph *graph = trial->graph;
  uint64_t kept = sharing_graph_kept(graph, cluster_of);
  text_table_add(&trial->table, "%s", name);
  text_table_add_count(&trial->table, kept);
  text_table_add(&trial->table, "%.1f %%",
                 graph->weight ? 100.0 * (double)kept / (double)graph->weight : 0.0);
}

// Refines the partition by exchanges and keeps it if it is the best so far.
static void offer(Trial *trial) {
  size_t bytes = sizeof *trial->best * trial->graph->cta_count;
  memcpy(trial->improved, trial->cluster_of, bytes);
  partition_improve(trial->graph, trial->clusters, trial->improved);
  uint64_t kept = sharing_graph_kept(trial->graph, trial->improved);
  if (trial->has_best && kept <= trial->best_kept) return;
  memcpy(trial->best, trial->improved, bytes);
  trial->best_kept = kept;
  trial->has_best = true;
}

static Status try_all(Trial *trial, Error *err) {
  static const struct {
    const char *name;
    CtaOrder order;
  } orders[] = {{"row", {.kind = CTA_ORDER_ROW}},
                {"column", {.kind = CTA_ORDER_COLUMN}},
                {"tile 2x2", {.kind = CTA_ORDER_TILE, .tile_width = 2, .tile_height = 2}},
                {"tile 4x4", {.kind = CTA_ORDER_TILE, .tile_width = 4, .tile_height = 4}}};
  partition_round_robin(trial->graph, trial->clusters, trial->cluster_of);
  add_row(trial, "round robin", trial->cluster_of);
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
    partition_by_order(trial->graph, trial->clusters, &orders[i].order, trial->cluster_of);
    add_row(trial, orders[i].name, trial->cluster_of);
    offer(trial);
  }
  TRY(partition_by_metis(trial->graph, trial->clusters, trial->cluster_of, err));
  add_row(trial, "METIS", trial->cluster_of);
  offer(trial);
  add_row(trial, "best found", trial->best);
  return OK;
}

static void print_trial(const Trial *trial) {
  const SharingGraph *graph = trial->graph;
  char weight[GROUPED_BYTES];
  printf("%s  grid %ux%ux%u, %u launch%s, %u clusters, %s lines shared by pairs of CTAs\n",
         graph->kernel, graph->grid[0], graph->grid[1], graph->grid[2], graph->launches,
         graph->launches == 1 ? "" : "es", trial->clusters, text_grouped(weight, graph->weight));
  text_table_print(&trial->table, stdout, 2);
}

// ---- the map

static Status write_map(const char *path, const SharingGraph *graph, uint32_t clusters,
                        const uint32_t *cluster_of, Error *err) {
  ReplacedFile out;
  uint32_t *numbers = memory_alloc(sizeof *numbers * graph->cta_count);
  partition_number(graph, clusters, cluster_of, numbers);
  Status status = replaced_file_begin(&out, path, err);
  if (status == OK) {
    fprintf(out.file, "# The number of each CTA of %s, row by row: grid %ux%ux%u, %u clusters.\n",
            graph->kernel, graph->grid[0], graph->grid[1], graph->grid[2], clusters);
    for (uint32_t i = 0; i < graph->cta_count; i++)
      fprintf(out.file, "%u%c", numbers[i], (i + 1) % graph->grid[0] ? ' ' : '\n');
    status = replaced_file_end(&out, OK, err);
  }
  memory_free(numbers);
  return status;
}

static Status partition_one(const SharingGraph *graph, const PartitionRequest *request,
                            Error *err) {
  static const char *const columns[] = {"partition", ">lines shared within clusters", ">of all",
                                        NULL};
  size_t bytes = sizeof(uint32_t) * graph->cta_count;
  Trial trial = {.graph = graph,
                 .clusters = request->clusters,
                 .cluster_of = memory_alloc(bytes),
                 .improved = memory_alloc(bytes),
                 .best = memory_alloc(bytes)};
  text_table_init(&trial.table, columns);
  Status status = try_all(&trial, err);
  if (status == OK) print_trial(&trial);
  if (status == OK && request->output)
    status = write_map(request->output, graph, request->clusters, trial.best, err);
  text_table_clear(&trial.table);
  memory_free(trial.cluster_of);
  memory_free(trial.improved);
  memory_free(trial.best);
  return status;
}

Status partition_all(const SharingGraphs *graphs, const PartitionRequest *request, Error *err) {
  TRY(check_choice(graphs, request, err));
  for (uint32_t i = 0; i < graphs->count; i++)
    if (is_wanted(request, &graphs->items[i])) TRY(partition_one(&graphs->items[i], request, err));
  return OK;
}
