// SPDX-License-Identifier: MIT
// The order in which the CTAs of a grid are numbered, and their partition into
// clusters of consecutive numbers: section 4.2 of Li et al. (ASPLOS 2017), as
// cuda/include/heddle/cluster has it for kernels.
#ifndef POLICIES_CTA_DISPATCH_CTA_ORDER_H
#define POLICIES_CTA_DISPATCH_CTA_ORDER_H

#include <stdint.h>

typedef enum CtaOrderKind {
  CTA_ORDER_ROW,     // neighbours along x
  CTA_ORDER_COLUMN,  // along y
  CTA_ORDER_LONGER,  // along x unless the grid is higher than wide
  CTA_ORDER_TILE,    // tiles row by row, CTAs of a tile row by row
  CTA_ORDER_MAP,     // any
} CtaOrderKind;

typedef struct CtaOrder {
  CtaOrderKind kind;
  uint32_t tile_width, tile_height;
  // CTA_ORDER_MAP: cta_of[v] is the linear index of CTA v, for grids of map_count
  // CTAs. Other grids are numbered row by row.
  const uint32_t *cta_of;
  uint32_t map_count;
} CtaOrder;

// The linear index in the grid (x fastest) of the CTA with number v.
uint64_t cta_order_cta(const CtaOrder *order, const uint32_t grid[3], uint64_t v);

// |V| = ctas in M = clusters: the first |V| % M clusters hold one CTA more.
static inline uint64_t partition_size(uint64_t ctas, uint32_t clusters, uint32_t i) {
  return ctas / clusters + (i < ctas % clusters);
}
static inline uint64_t partition_first(uint64_t ctas, uint32_t clusters, uint32_t i) {
  uint64_t larger = ctas % clusters;
  return i * (ctas / clusters) + (i < larger ? i : larger);
}
// The cluster of CTA v: the inverse of the above.
static inline uint32_t partition_cluster(uint64_t ctas, uint32_t clusters, uint64_t v) {
  uint64_t size = ctas / clusters, larger = ctas % clusters;
  uint64_t in_larger = larger * (size + 1);
  return (uint32_t)(v < in_larger ? v / (size + 1) : larger + (v - in_larger) / size);
}

#endif
