// SPDX-License-Identifier: MIT
// The mapping of heddle/cluster.cuh: figures 7 and 8 of Li et al. (ASPLOS 2017),
// then every size: f and its inverse are a bijection, clusters differ by at most
// one CTA, redirection runs each CTA once.
#include "../check.h"

#include <heddle/cluster.cuh>

using namespace heddle::cluster;

static void check_divisors() {
  const unsigned limit = 1u << 31;
  for (unsigned d = 1; d < 3000; d++) {
    Divisor divisor(d);
    for (unsigned n = 0; n < 200; n++) CHECK(divisor.quotient(n) == n / d);
    for (unsigned n = limit - 200; n < limit; n++) CHECK(divisor.quotient(n) == n / d);
    for (unsigned n = 1; n < limit / 7; n = n * 7 + d) CHECK(divisor.quotient(n) == n / d);
  }
  for (unsigned d : {65535u, 65536u, 65537u, 0x3fffffffu, 0x40000000u, 0x40000001u, 0x7fffffffu})
    for (unsigned n : {0u, 1u, d - 1, d, d + 1, limit - 1})
      if (n < limit) CHECK(Divisor(d).quotient(n) == n / d);
}

// Six CTAs in two clusters.
static void check_figure_8() {
  RowMajor rows(dim3(3, 2));
  Partition partition(6, 2);
  unsigned v = rows.index(make_uint3(0, 1, 0));
  CHECK(v == 3);
  Position at = partition.position(v);
  CHECK(at.w == 0 && at.i == 1);
  Position last = {2, 1};
  CHECK(partition.cta(last) == 5);
  Position bound = bind_round_robin(4, Divisor(2));
  CHECK(bound.w == 2 && bound.i == 0);
}

struct Figure7 {
  static const unsigned *numbers() {
    static const unsigned table[] = {10, 4, 9, 15, 2, 12, 5, 7, 8, 3, 0, 13, 6, 11, 14, 1};
    return table;
  }
  static unsigned count() { return 16; }
};

template <class Order>
static void check_numbers(const Order &order, const unsigned (&wanted)[4][4]) {
  for (unsigned y = 0; y < 4; y++)
    for (unsigned x = 0; x < 4; x++) {
      CHECK(order.index(make_uint3(x, y, 0)) == wanted[y][x]);
      uint3 cta = order.cta(wanted[y][x]);
      CHECK(cta.x == x && cta.y == y && cta.z == 0);
    }
}

static void check_figure_7() {
  const unsigned row_major[4][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}};
  const unsigned column_major[4][4] = {
      {0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}};
  const unsigned tile_wise[4][4] = {{0, 1, 4, 5}, {2, 3, 6, 7}, {8, 9, 12, 13}, {10, 11, 14, 15}};
  check_numbers(RowMajor(dim3(4, 4)), row_major);
  check_numbers(ColumnMajor(dim3(4, 4)), column_major);
  check_numbers(Tiles<2, 2>(dim3(4, 4)), tile_wise);
}

// The arbitrary order's table is on the device, so the device is asked.
__global__ void list(Redirection<Table<Figure7>> redirection, unsigned *places) {
  uint3 cta = redirection.cta();
  places[blockIdx.x] = cta.y * 4 + cta.x;
}

__global__ void list_in_agents(Agents<Table<Figure7>> agents, unsigned *visits) {
  agents.for_each_cta_unsynchronized([&](uint3 cta, dim3 grid) {
    if (grid.x == 4 && grid.y == 4) atomicAdd(&visits[cta.y * 4 + cta.x], 1u);
  });
}

static void check_table() {
  Array<unsigned> places(16), visits(16);
  Redirection<Table<Figure7>> by_one(dim3(4, 4), 1);  // CTA u does number u
  detail::prepare(by_one.order());
  list<<<16, 1>>>(by_one, places);
  std::vector<unsigned> found = places.get();
  for (unsigned i = 0; i < 16; i++) CHECK(found[Figure7::numbers()[i]] == i);
  launch(list_in_agents, dim3(4, 4), dim3(1))(visits);
  for (unsigned times : visits.get()) CHECK(times == 1);
}

static void check_partition(unsigned ctas, unsigned clusters) {
  Partition partition(ctas, clusters);
  unsigned next = 0, least = ~0u, most = 0;
  for (unsigned i = 0; i < clusters; i++) {
    unsigned size = partition.size(i);
    if (size < least) least = size;
    if (size > most) most = size;
    CHECK(partition.first(i) == next);
    for (unsigned w = 0; w < size; w++, next++) {
      Position wanted = {w, i}, found = partition.position(next);
      CHECK(partition.cta(wanted) == next);
      CHECK(found.w == w && found.i == i);
    }
  }
  CHECK(next == ctas);
  CHECK(most - least <= 1);
}

static void check_redirection(unsigned ctas, unsigned sms) {
  Redirection<RowMajor> redirection(dim3(ctas), sms);
  std::vector<int> visits(ctas);
  for (unsigned u = 0; u < ctas; u++) visits[redirection.cta(u).x]++;
  for (int times : visits) CHECK(times == 1);
}

template <class Order>
static void check_order(dim3 grid) {
  Order order(grid);
  std::vector<int> visits(grid.x * grid.y * grid.z);
  for (unsigned z = 0; z < grid.z; z++)
    for (unsigned y = 0; y < grid.y; y++)
      for (unsigned x = 0; x < grid.x; x++) {
        unsigned v = order.index(make_uint3(x, y, z));
        CHECK(v < visits.size());
        if (v >= visits.size()) continue;
        visits[v]++;
        uint3 cta = order.cta(v);
        CHECK(cta.x == x && cta.y == y && cta.z == z);
      }
  for (int times : visits) CHECK(times == 1);
}

static void check_orders(dim3 grid) {
  check_order<RowMajor>(grid);
  check_order<ColumnMajor>(grid);
  check_order<Axes<AXIS_Z, AXIS_Y, AXIS_X>>(grid);
  check_order<Axes<AXIS_Z, AXIS_X, AXIS_Y>>(grid);
  check_order<Axes<AXIS_X, AXIS_Z, AXIS_Y>>(grid);
  check_order<LongerSide>(grid);
  check_order<Tiles<1, 1>>(grid);
  check_order<Tiles<2, 2>>(grid);
  check_order<Tiles<4, 3>>(grid);
  check_order<Tiles<5, 8>>(grid);
}

int main() {
  check_divisors();
  check_figure_8();
  check_figure_7();
  check_table();
  for (unsigned ctas = 0; ctas <= 300; ctas++)
    for (unsigned clusters = 1; clusters <= 40; clusters++) check_partition(ctas, clusters);
  check_partition(2147483647u % 100003u, 132);
  for (unsigned ctas = 1; ctas <= 200; ctas++)
    for (unsigned sms = 1; sms <= 33; sms++) check_redirection(ctas, sms);
  for (unsigned y = 1; y <= 13; y++)
    for (unsigned x = 1; x <= 13; x++)
      for (unsigned z = 1; z <= 3; z++) check_orders(dim3(x, y, z));
  return verdict();
}
