// SPDX-License-Identifier: MIT
// What the workloads share on the host: readers, generators, comparison. Without
// arguments it checks values; with `graph`, `matrix`, `genome` or `image` and a path it reads
// that file and prints what is in it.
#include <cstdio>
#include <cstring>

#include "common/compare.h"
#include "common/genome.h"
#include "common/graph_input.h"
#include "common/image.h"
#include "common/sparse.h"

static int failures;

static void check(bool is_true, const char *what) {
  if (is_true) return;
  failures++;
  fprintf(stderr, "does not hold: %s\n", what);
}
#define CHECK(condition) check(condition, #condition)

static void random_numbers_are_the_same_everywhere() {
  Random one(1), again(1), other(2);
  uint64_t first = one.bits();
  CHECK(first == again.bits() && first != other.bits());
  double sum = 0;
  for (int i = 0; i < 10000; i++) {
    float value = one.uniform(-1, 3);
    sum += value;
    CHECK(value >= -1 && value < 3);
    CHECK(one.below(7) < 7);
  }
  CHECK(sum / 10000 > 0.95 && sum / 10000 < 1.05);
}

static void graphs_have_the_edges_they_should() {
  Graph graph = graph_from_edges(4, {{2, 1}, {0, 3}, {2, 0}});
  CHECK((graph.start == std::vector<int>{0, 1, 1, 3, 3}));
  CHECK((graph.target == std::vector<int>{3, 1, 0}));
  Graph uniform = graph_uniform(1000, 4, 1), rmat = graph_rmat(10, 8, 1);
  CHECK(uniform.start[1000] == uniform.edges());
  CHECK(uniform.edges() > 3700 && uniform.edges() < 4300);
  CHECK(rmat.nodes == 1024 && rmat.edges() == 8192);
  int most = 0;
  for (int n = 0; n < 1024; n++) most = std::max(most, rmat.start[n + 1] - rmat.start[n]);
  CHECK(most > 100);  // a few nodes have most of the edges
}

static std::vector<int> sorted_degrees(const Graph &graph) {
  std::vector<int> degrees;
  for (int n = 0; n < graph.nodes; n++) degrees.push_back(graph.start[n + 1] - graph.start[n]);
  std::sort(degrees.begin(), degrees.end());
  return degrees;
}

static int nodes_above(const std::vector<int> &degrees, int degree) {
  return (int)(degrees.end() - std::upper_bound(degrees.begin(), degrees.end(), degree));
}

// No loops, no duplicates, and every edge in both directions.
static bool is_simple(const Graph &graph) {
  std::vector<Edge> edges, reverse;
  for (int n = 0; n < graph.nodes; n++)
    for (int i = graph.start[n]; i < graph.start[n + 1]; i++) {
      if (graph.target[i] == n) return false;
      edges.push_back(Edge(n, graph.target[i]));
      reverse.push_back(Edge(graph.target[i], n));
    }
  std::sort(reverse.begin(), reverse.end());
  return edges == reverse && std::adjacent_find(edges.begin(), edges.end()) == edges.end();
}

// Nodes of Graph 500's graphs fall into groups by the ones in their number: with scale
// 16, 6885 = sum of C(16, 0..5) have more than 128 edges, as table 2 of Tang et al. has
// children of a search. Likewise with scale 12: 299 = sum of C(12, 0..3).
static void kronecker_graphs_have_groups() {
  Graph graph = graph_kronecker(12, 120000, 1);
  CHECK(graph.nodes == 4096 && graph.edges() == 240000 && is_simple(graph));
  std::vector<int> degrees = sorted_degrees(graph);
  CHECK(nodes_above(degrees, 256) == 299 && nodes_above(degrees, 512) == 79);
  CHECK(degrees != sorted_degrees(graph_kronecker(12, 120000, 2)));
}

static void collaborations_are_connected_and_full_of_cliques() {
  Graph graph = graph_collaboration({20000, 71600, 40, 150}, 1);
  CHECK(graph.nodes == 20000 && graph.edges() == 143200 && is_simple(graph));
  std::vector<int> degrees = sorted_degrees(graph);
  CHECK(degrees[0] > 0 && degrees[10000] == 4 && degrees.back() == 150);
  int last;
  std::vector<int> level = graph_levels(graph, 0, &last);
  CHECK(*std::min_element(level.begin(), level.end()) == 0);
  int furthest = *std::max_element(level.begin(), level.end());
  CHECK(level[last] == furthest && furthest >= 10 && furthest <= 30);
  // Two neighbours of a node know each other more often than not.
  long long pairs = 0, closed = 0;
  for (int n = 0; n < graph.nodes; n++)
    for (int i = graph.start[n]; i + 1 < graph.start[n + 1]; i++) {
      int a = graph.target[i], b = graph.target[i + 1];
      pairs++;
      closed += std::binary_search(graph.target.begin() + graph.start[a],
                                   graph.target.begin() + graph.start[a + 1], b);
    }
  CHECK(closed * 2 > pairs);
}

static void complete_graphs_are() {
  Graph graph = graph_complete(30);
  CHECK(graph.edges() == 870 && is_simple(graph));
}

static void genomes_repeat_themselves() {
  Genome genome = genome_make(50000, 20, 192, 1);
  CHECK(genome.bases.size() == 50000 && genome.repeats.size() == 20);
  int same = 0;
  for (int i = 0; i < 192; i++)
    same += genome.bases[genome.repeats[0] + i] == genome.bases[genome.repeats[19] + i];
  CHECK(same > 180 && same < 192);
  WordIndex index = genome_index(genome.bases, 8);
  CHECK(index.start.back() == 50000 - 7);
  size_t most = 0;
  for (size_t w = 0; w + 1 < index.start.size(); w++) {
    most = std::max(most, (size_t)(index.start[w + 1] - index.start[w]));
    for (int i = index.start[w]; i < index.start[w + 1]; i++)
      CHECK(genome_word(&genome.bases[index.place[i]], 8) == (int)w);
  }
  CHECK(most >= 15);
  // A word with an unknown base is nowhere.
  Bases bases = {0, 1, GENOME_UNKNOWN, 3, 2, 1, 0};
  index = genome_index(bases, 2);
  CHECK(index.start.back() == 4 && index.place[index.start[1]] == 0);
}

static void jds_holds_what_csr_holds() {
  Csr csr = csr_generate(50, 40, 5, 40, 3);
  Jds jds = jds_from_csr(csr, 32);
  std::vector<float> x = Random(4).floats(40, -1, 1), y(50);
  for (int i = 0; i < jds.rows; i++) {
    CHECK(i == 0 || jds.length[i] <= jds.length[i - 1]);
    for (int d = 0; d < jds.length[i]; d++) {
      CHECK(jds.start[d] % 32 == 0);
      y[jds.permutation[i]] += jds.value[jds.start[d] + i] * x[jds.column[jds.start[d] + i]];
    }
  }
  Comparison comparison;
  comparison.near("JDS", y, csr_multiply(csr, x), 1e-5);
  CHECK(comparison.verdict() == 0);
}

static void entries_at_one_place_add_up() {
  Csr csr = csr_from_entries(2, 2, {{1, 1, 2}, {0, 1, 5}, {1, 0, 7}, {1, 1, 3}});
  CHECK((csr.start == std::vector<int>{0, 1, 3}));
  CHECK((csr.column == std::vector<int>{1, 0, 1}));
  CHECK((csr.value == std::vector<float>{5, 7, 5}));
}

// Comparisons that must fail.
static void differences_are_found() {
  Comparison nothing, exact, near, nan, length, holds;
  exact.exact<int>("exact", {1, 2}, {1, 3});
  near.near<float>("near", {1, 2}, {1, 2.1f}, 1e-3);
  nan.near<float>("nan", {NAN}, {1}, 1e9);
  length.exact<int>("length", {1}, {1, 2});
  holds.holds("holds", false);
  for (const Comparison *each : {&nothing, &exact, &near, &nan, &length, &holds})
    CHECK(each->verdict() == 1);
  Comparison small;
  small.near<float>("small", {1e-6f}, {0}, 1e-5);
  CHECK(small.verdict() == 0);
}

static int print_file(const char *kind, const char *path) {
  if (strcmp(kind, "graph") == 0) {
    Graph graph = graph_read(path);
    printf("%d nodes, %d edges:", graph.nodes, graph.edges());
    for (int n = 0; n < graph.nodes; n++)
      for (int i = graph.start[n]; i < graph.start[n + 1]; i++)
        printf(" %d-%d", n, graph.target[i]);
    puts("");
  } else if (strcmp(kind, "matrix") == 0) {
    Csr csr = csr_read(path);
    printf("%d x %d, %zu entries:", csr.rows, csr.columns, csr.value.size());
    for (float value : csr_multiply(csr, std::vector<float>(csr.columns, 1))) printf(" %g", value);
    puts("");
  } else if (strcmp(kind, "genome") == 0) {
    Genome genome = genome_read(path);
    printf("%zu bases:", genome.bases.size());
    for (uint8_t base : genome.bases) printf(" %d", base);
    puts("");
  } else {
    Image image = image_read(path);
    int sum = 0;
    for (uint8_t pixel : image.pixel) sum += pixel;
    printf("%d x %d, sum %d\n", image.width, image.height, sum);
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 3) return print_file(argv[1], argv[2]);
  random_numbers_are_the_same_everywhere();
  graphs_have_the_edges_they_should();
  kronecker_graphs_have_groups();
  collaborations_are_connected_and_full_of_cliques();
  complete_graphs_are();
  genomes_repeat_themselves();
  jds_holds_what_csr_holds();
  entries_at_one_place_add_up();
  differences_are_found();
  return failures != 0;
}
