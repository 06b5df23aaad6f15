// SPDX-License-Identifier: MIT
// What the workloads share on the host: readers, generators, comparison. Without
// arguments it checks values; with `graph`, `matrix` or `image` and a path it reads
// that file and prints what is in it.
#include <cstdio>
#include <cstring>

#include "common/compare.h"
#include "common/graph.h"
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
    printf("%d nodes, %d edges, first to %d\n", graph.nodes, graph.edges(), graph.target[0]);
  } else if (strcmp(kind, "matrix") == 0) {
    Csr csr = csr_read(path);
    printf("%d x %d, %zu entries:", csr.rows, csr.columns, csr.value.size());
    for (float value : csr_multiply(csr, std::vector<float>(csr.columns, 1))) printf(" %g", value);
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
  jds_holds_what_csr_holds();
  entries_at_one_place_add_up();
  differences_are_found();
  return failures != 0;
}
