// SPDX-License-Identifier: MIT
// Orders: the number v of each CTA of the original grid. Consecutive numbers are
// adjacent in a cluster, so the order determines which CTAs share an SM (figure 7 of
// the paper).
//
// An order is made from the grid, on the host or by a kernel that launches
// another, and has
//
//   unsigned index(uint3 cta)    the number of a CTA
//   uint3 cta(unsigned index)    the CTA of a number below the count of CTAs
//   dim3 grid()
#ifndef HEDDLE_CLUSTER_ORDERS_CUH
#define HEDDLE_CLUSTER_ORDERS_CUH

#include "partition.cuh"

namespace heddle {
namespace cluster {

enum { AXIS_X, AXIS_Y, AXIS_Z };

// The first axis varies fastest, the last one slowest.
template <int Fast, int Middle, int Slow>
class Axes {
 public:
  HEDDLE_CLUSTER_BOTH explicit Axes(dim3 grid)
      : grid_(grid), fast_(along(grid, Fast)), middle_(along(grid, Middle)) {}

  HEDDLE_CLUSTER_BOTH unsigned index(uint3 cta) const {
    dim3 at(cta.x, cta.y, cta.z);
    return (along(at, Slow) * middle_.value() + along(at, Middle)) * fast_.value() +
           along(at, Fast);
  }
  HEDDLE_CLUSTER_BOTH uint3 cta(unsigned index) const {
    unsigned at[3], rest = fast_.quotient(index);
    at[Fast] = index - rest * fast_.value();
    at[Slow] = middle_.quotient(rest);
    at[Middle] = rest - at[Slow] * middle_.value();
    return make_uint3(at[AXIS_X], at[AXIS_Y], at[AXIS_Z]);
  }
  HEDDLE_CLUSTER_BOTH dim3 grid() const { return grid_; }

 private:
  static HEDDLE_CLUSTER_BOTH unsigned along(dim3 d, int axis) {
    return axis == AXIS_X ? d.x : axis == AXIS_Y ? d.y : d.z;
  }
  dim3 grid_;
  Divisor fast_, middle_;
};

// v = y * gridDim.x + x: clusters are runs of a row (the paper's Y-partition).
typedef Axes<AXIS_X, AXIS_Y, AXIS_Z> RowMajor;
// v = x * gridDim.y + y: clusters are runs of a column (X-partition).
typedef Axes<AXIS_Y, AXIS_X, AXIS_Z> ColumnMajor;

// Along the longer side of the grid: rows unless there are more of them than
// columns. For kernels such as C = A B, in which a row of CTAs shares as much as
// a column does.
class LongerSide {
 public:
  HEDDLE_CLUSTER_BOTH explicit LongerSide(dim3 grid)
      : grid_(grid), by_rows_(grid.x >= grid.y), fast_(by_rows_ ? grid.x : grid.y),
        slow_(by_rows_ ? grid.y : grid.x) {}

  HEDDLE_CLUSTER_BOTH unsigned index(uint3 cta) const {
    unsigned fast = by_rows_ ? cta.x : cta.y, slow = by_rows_ ? cta.y : cta.x;
    return (cta.z * slow_.value() + slow) * fast_.value() + fast;
  }
  HEDDLE_CLUSTER_BOTH uint3 cta(unsigned index) const {
    unsigned rest = fast_.quotient(index), fast = index - rest * fast_.value();
    unsigned z = slow_.quotient(rest), slow = rest - z * slow_.value();
    return make_uint3(by_rows_ ? fast : slow, by_rows_ ? slow : fast, z);
  }
  HEDDLE_CLUSTER_BOTH dim3 grid() const { return grid_; }

 private:
  dim3 grid_;
  bool by_rows_;
  Divisor fast_, slow_;
};

// Tiles of Width x Height CTAs, row by row, and the CTAs of a tile row by row.
// Tiles at the right and lower edges of the grid may be smaller.
template <unsigned Width, unsigned Height>
class Tiles {
 public:
  HEDDLE_CLUSTER_BOTH explicit Tiles(dim3 grid)
      : grid_(grid), plane_(grid.x * grid.y), band_(grid.x * Height),
        last_height_(grid.y % Height), last_width_(grid.x % Width),
        last_tile_(Width * (grid.y % Height)), last_row_(grid.x % Width) {}

  HEDDLE_CLUSTER_BOTH unsigned index(uint3 cta) const {
    unsigned band = cta.y / Height, tile = cta.x / Width;
    unsigned height = height_of(band), width = width_of(tile);
    return cta.z * plane_.value() + band * band_.value() + tile * Width * height +
           cta.y % Height * width + cta.x % Width;
  }
  HEDDLE_CLUSTER_BOTH uint3 cta(unsigned index) const {
    unsigned z = plane_.quotient(index), in_plane = index - z * plane_.value();
    unsigned band = band_.quotient(in_plane), in_band = in_plane - band * band_.value();
    unsigned height = height_of(band);
    unsigned tile = height == Height ? in_band / (Width * Height) : last_tile_.quotient(in_band);
    unsigned in_tile = in_band - tile * Width * height, width = width_of(tile);
    unsigned row = width == Width ? in_tile / Width : last_row_.quotient(in_tile);
    return make_uint3(tile * Width + in_tile - row * width, band * Height + row, z);
  }
  HEDDLE_CLUSTER_BOTH dim3 grid() const { return grid_; }

 private:
  HEDDLE_CLUSTER_BOTH unsigned height_of(unsigned band) const {
    return (band + 1) * Height > grid_.y ? last_height_ : Height;
  }
  HEDDLE_CLUSTER_BOTH unsigned width_of(unsigned tile) const {
    return (tile + 1) * Width > grid_.x ? last_width_ : Width;
  }
  dim3 grid_;
  Divisor plane_, band_;
  unsigned last_height_, last_width_;
  Divisor last_tile_, last_row_;
};

// Any order: Source::numbers() has the number of each CTA, row by row, for a grid
// of Source::count() CTAs. A grid of another size is taken row by row.
//
//   struct Figure7 {
//     static const unsigned *numbers();
//     static unsigned count();
//   };
//
// launch.cuh copies the table to each device that needs it.
template <class Source>
class Table {
 public:
  HEDDLE_CLUSTER_BOTH explicit Table(dim3 grid) : rows_(grid), row_major_index_(0) {}

  HEDDLE_CLUSTER_BOTH uint3 cta(unsigned index) const {
    return rows_.cta(row_major_index_ ? row_major_index_[index] : index);
  }
  HEDDLE_CLUSTER_BOTH dim3 grid() const { return rows_.grid(); }
  // row_major_index[v]: position of CTA v, counted row by row.
  void use(const unsigned *row_major_index) { row_major_index_ = row_major_index; }

 private:
  RowMajor rows_;
  const unsigned *row_major_index_;
};

}  // namespace cluster
}  // namespace heddle

#endif
