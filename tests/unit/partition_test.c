// SPDX-License-Identifier: MIT
// Sharing graphs of CTAs and partitions of them, on graphs whose best partition
// is known.
#include "sharing/partitioner.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/cmocka_all.h"

enum { MAX_CTAS = 64, MAX_EDGES = MAX_CTAS * MAX_CTAS };

static SharingEdge edges[MAX_EDGES];

static SharingGraph empty_graph(uint32_t width, uint32_t height) {
  return (SharingGraph){
      .kernel = "k", .grid = {width, height, 1}, .cta_count = width * height, .edges = edges};
}

static void add_edge(SharingGraph *graph, uint32_t a, uint32_t b, uint64_t lines) {
  graph->edges[graph->edge_count++] = (SharingEdge){.a = a, .b = b, .lines = lines};
  graph->weight += lines;
}

// CTAs of a column share 10 lines, CTAs of a row one.
static SharingGraph columns_share(uint32_t width, uint32_t height) {
  SharingGraph graph = empty_graph(width, height);
  for (uint32_t a = 0; a < graph.cta_count; a++)
    for (uint32_t b = a + 1; b < graph.cta_count; b++) {
      if (a % width == b % width) add_edge(&graph, a, b, 10);
      if (a / width == b / width) add_edge(&graph, a, b, 1);
    }
  return graph;
}

static void assert_even(const SharingGraph *graph, uint32_t clusters, const uint32_t *cluster_of) {
  uint32_t sizes[MAX_CTAS] = {0};
  for (uint32_t cta = 0; cta < graph->cta_count; cta++) {
    assert_true(cluster_of[cta] < clusters);
    sizes[cluster_of[cta]]++;
  }
  for (uint32_t i = 0; i < clusters; i++)
    assert_int_equal(sizes[i], partition_size(graph->cta_count, clusters, i));
}

static void need_metis(void) {
  SharingGraph graph = columns_share(4, 4);
  uint32_t cluster_of[MAX_CTAS];
  Error err = {0};
  if (partition_by_metis(&graph, 4, cluster_of, &err) == ERR_UNSUPPORTED) skip();
}

static void metis_finds_the_columns(void **state) {
  (void)state;
  need_metis();
  SharingGraph graph = columns_share(6, 5);
  uint32_t cluster_of[MAX_CTAS], rows[MAX_CTAS], columns[MAX_CTAS];
  Error err = {0};
  assert_int_equal(partition_by_metis(&graph, 6, cluster_of, &err), OK);
  assert_even(&graph, 6, cluster_of);
  partition_by_order(&graph, 6, &(CtaOrder){.kind = CTA_ORDER_ROW}, rows);
  partition_by_order(&graph, 6, &(CtaOrder){.kind = CTA_ORDER_COLUMN}, columns);
  uint64_t best = 6 * (5 * 4 / 2) * 10;  // all pairs of the six columns
  assert_int_equal(sharing_graph_kept(&graph, columns), best);
  assert_int_equal(sharing_graph_kept(&graph, cluster_of), best);
  assert_true(sharing_graph_kept(&graph, rows) < best / 4);
}

static void clusters_are_even_for_every_number_of_them(void **state) {
  (void)state;
  need_metis();
  SharingGraph graph = columns_share(7, 5);
  for (uint32_t clusters = 1; clusters <= 40; clusters++) {
    uint32_t cluster_of[MAX_CTAS], numbers[MAX_CTAS];
    bool seen[MAX_CTAS] = {false};
    Error err = {0};
    assert_int_equal(partition_by_metis(&graph, clusters, cluster_of, &err), OK);
    assert_even(&graph, clusters, cluster_of);
    partition_number(&graph, clusters, cluster_of, numbers);
    for (uint32_t cta = 0; cta < graph.cta_count; cta++) {
      assert_true(numbers[cta] < graph.cta_count && !seen[numbers[cta]]);
      seen[numbers[cta]] = true;
      assert_int_equal(partition_cluster(graph.cta_count, clusters, numbers[cta]), cluster_of[cta]);
    }
  }
}

// Two pairs that share much are apart; an exchange brings both together.
static void exchanges_improve_a_partition(void **state) {
  (void)state;
  SharingGraph graph = empty_graph(4, 1);
  uint32_t cluster_of[MAX_CTAS] = {0, 0, 1, 1};
  add_edge(&graph, 0, 1, 3);
  add_edge(&graph, 0, 2, 9);
  add_edge(&graph, 1, 3, 9);
  partition_improve(&graph, 2, cluster_of);
  assert_even(&graph, 2, cluster_of);
  assert_int_equal(sharing_graph_kept(&graph, cluster_of), 18);
  graph = columns_share(6, 5);
  partition_by_order(&graph, 6, &(CtaOrder){.kind = CTA_ORDER_ROW}, cluster_of);
  uint64_t before = sharing_graph_kept(&graph, cluster_of);
  partition_improve(&graph, 6, cluster_of);
  assert_even(&graph, 6, cluster_of);
  assert_true(sharing_graph_kept(&graph, cluster_of) > before);
}

static void a_graph_without_edges_goes_row_by_row(void **state) {
  (void)state;
  need_metis();
  SharingGraph graph = empty_graph(5, 2);
  uint32_t cluster_of[MAX_CTAS];
  Error err = {0};
  assert_int_equal(partition_by_metis(&graph, 3, cluster_of, &err), OK);
  assert_even(&graph, 3, cluster_of);
  assert_int_equal(sharing_graph_kept(&graph, cluster_of), 0);
  assert_int_equal(cluster_of[0], 0);
  assert_int_equal(cluster_of[9], 2);
}

static void round_robin_separates_neighbours(void **state) {
  (void)state;
  SharingGraph graph = empty_graph(4, 1);
  uint32_t cluster_of[MAX_CTAS];
  add_edge(&graph, 0, 1, 7);
  add_edge(&graph, 0, 2, 5);
  partition_round_robin(&graph, 2, cluster_of);
  assert_int_equal(sharing_graph_kept(&graph, cluster_of), 5);
}

// ---- results

static Status read_text(SharingGraphs *graphs, const char *text, Error *err) {
  char path[] = "/tmp/partition_test_XXXXXX";
  FILE *file = fdopen(mkstemp(path), "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  Status status = sharing_graphs_read(graphs, path, err);
  remove(path);
  return status;
}

static void launches_of_a_kernel_are_added_up(void **state) {
  (void)state;
  SharingGraphs graphs;
  Error err = {0};
  const char *text =
      "{\"config\": {\"gpu\": {\"sm_count\": 15}}, \"kernels\": ["
      "{\"readable_name\": \"f\", \"grid\": [2, 2, 1], \"cta_sharing\":"
      " [{\"cta_a\": 0, \"cta_b\": 3, \"lines\": 4}, {\"cta_a\": 0, \"cta_b\": 1, \"lines\": 1}]},"
      "{\"readable_name\": \"f\", \"grid\": [2, 2, 1], \"cta_sharing\":"
      " [{\"cta_a\": 0, \"cta_b\": 3, \"lines\": 2}]},"
      "{\"readable_name\": \"f\", \"grid\": [4, 1, 1], \"cta_sharing\": []},"
      "{\"readable_name\": \"untimed\", \"grid\": [4, 1, 1]}]}";
  assert_int_equal(read_text(&graphs, text, &err), OK);
  assert_int_equal(graphs.sm_count, 15);
  assert_int_equal(graphs.count, 2);
  assert_int_equal(graphs.items[0].launches, 2);
  assert_int_equal(graphs.items[0].edge_count, 2);
  assert_int_equal(graphs.items[0].weight, 7);
  assert_int_equal(graphs.items[0].edges[1].lines, 6);
  assert_int_equal(graphs.items[1].cta_count, 4);
  sharing_graphs_clear(&graphs);
}

static void results_that_are_wrong_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *error;
  } wrong[] = {{"{", ":1: "},
               {"{\"kernels\": []}", "no sharing graph; run with --observe sharing:graph=true"},
               {"{\"kernels\": [{\"readable_name\": \"f\", \"grid\": [2, 1, 1], \"cta_sharing\":"
                " [{\"cta_a\": 0, \"cta_b\": 2, \"lines\": 1}]}]}",
                "kernel f: cta_sharing row 0: not a pair of CTAs of the grid"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    SharingGraphs graphs;
    Error err = {0};
    assert_int_not_equal(read_text(&graphs, wrong[i].text, &err), OK);
    if (!strstr(err.text, wrong[i].error)) fail_msg("%s", err.text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(metis_finds_the_columns),
      cmocka_unit_test(clusters_are_even_for_every_number_of_them),
      cmocka_unit_test(exchanges_improve_a_partition),
      cmocka_unit_test(a_graph_without_edges_goes_row_by_row),
      cmocka_unit_test(round_robin_separates_neighbours),
      cmocka_unit_test(launches_of_a_kernel_are_added_up),
      cmocka_unit_test(results_that_are_wrong_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
