// SPDX-License-Identifier: MIT
// The order in which the CTAs of a grid are numbered, and their partition into clusters of
// consecutive numbers: section 4.2 of Li et al. (ASPLOS 2017), as cuda/include/heddle/cluster has
// it for kernels.
#include "policies/cta_dispatch/cta_order.h"

#include <stdbool.h>

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

// In a plane of the grid. Tiles at the right and lower edge may be smaller.
static uint64_t cta_in_tiles(const CtaOrder *order, uint64_t width, uint64_t height, uint64_t v) {
  uint64_t tile_width = order->tile_width, tile_height = order->tile_height;
  uint64_t band = v / (width * tile_height), in_band = v % (width * tile_height);
  uint64_t rows = smaller(tile_height, height - band * tile_height);
  uint64_t tile = in_band / (tile_width * rows), in_tile = in_band % (tile_width * rows);
  uint64_t columns = smaller(tile_width, width - tile * tile_width);
  uint64_t x = tile * tile_width + in_tile % columns, y = band * tile_height + in_tile / columns;
  return y * width + x;
}

uint64_t cta_order_cta(const CtaOrder *order, const uint32_t grid[3], uint64_t v) {
  uint64_t width = grid[0], height = grid[1], plane = width * height;
  uint64_t in_plane = v % plane, before = v - in_plane;
  bool is_by_column =
      order->kind == CTA_ORDER_COLUMN || (order->kind == CTA_ORDER_LONGER && height > width);
  if (is_by_column) return before + in_plane % height * width + in_plane / height;
  if (order->kind == CTA_ORDER_TILE) return before + cta_in_tiles(order, width, height, in_plane);
  if (order->kind == CTA_ORDER_MAP && plane * grid[2] == order->map_count) return order->cta_of[v];
  return v;
}
