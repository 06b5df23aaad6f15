// SPDX-License-Identifier: MIT
// nvcc: -rdc=true
// The Mandelbrot set by subdivision (Mariani and Silver): a square whose border has a
// single dwell is filled with it; any other is divided into four, by a child kernel, down
// to squares that are small enough to be computed pixel by pixel.
//
// A CTA has a square; its first thread launches. Nothing is read but shared memory, and
// every pixel is written once, a row of 32 by a warp: as long as squares have that many
// pixels an edge, no line is accessed twice.
//
// Mandel. A CTA processes a square: if its border has a constant dwell a child fills it,
// otherwise a child with four CTAs subdivides it, down to 32 x 32 pixels, whose rows are whole
// lines. `--flat` begins with small squares. It loads from shared memory only.
#include "common/compare.h"
#include "common/device_array.h"
#include "common/dynamic.h"
#include "common/timer.h"

enum { THREADS = 64, MIXED = -1 };

struct Plane {
  int size, most;  // pixels of an edge, the largest dwell
};

// How many steps a pixel takes to leave the circle. Every sum is fused here, so that no
// compiler chooses, and the host agrees to the bit.
__host__ __device__ static int dwell(const Plane &plane, int x, int y) {
  float step = 3.0f / (float)plane.size;
  float cr = fmaf((float)x, step, -2.1f), ci = fmaf((float)y, step, -1.5f);
  float r = cr, i = ci;
  int n = 0;
  while (n < plane.most && fmaf(r, r, i * i) < 4.0f) {
    float next = fmaf(r, r, fmaf(-i, i, cr));
    i = fmaf(2.0f * r, i, ci);
    r = next;
    n++;
  }
  return n;
}

struct Square {
  int x, y, edge;
  __host__ __device__ int pixels() const { return edge * edge; }
  // The k-th pixel of one of the sides.
  __host__ __device__ int border_x(int side, int k) const {
    return x + (side == 0 ? 0 : side == 1 ? edge - 1 : k);
  }
  __host__ __device__ int border_y(int side, int k) const {
    return y + (side == 2 ? 0 : side == 3 ? edge - 1 : k);
  }
};

// The dwell of the whole border, or MIXED: the same for all threads of the CTA.
__device__ int border_dwell(const Plane &plane, const Square &square) {
  __shared__ int least, most;
  if (threadIdx.x == 0) {
    least = plane.most;
    most = 0;
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 4 * square.edge; k += THREADS) {
    int side = k / square.edge, place = k % square.edge;
    int value = dwell(plane, square.border_x(side, place), square.border_y(side, place));
    atomicMin(&least, value);
    atomicMax(&most, value);
  }
  __syncthreads();
  return least == most ? least : MIXED;
}

__global__ void fill(int *image, Plane plane, Square square, int value) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= square.pixels()) return;
  image[(square.y + i / square.edge) * plane.size + square.x + i % square.edge] = value;
}

// The squares of a CTA each, `square` being the first of them.
__global__ void subdivide(int *image, Plane plane, Square square, int depth_left, Dynamic dynamic) {
  __shared__ bool is_launched;
  square.x += (int)blockIdx.x * square.edge;
  square.y += (int)blockIdx.y * square.edge;
  int common = border_dwell(plane, square);
  if (threadIdx.x == 0) {
    is_launched = false;
    if (dynamic.wants_child(square.pixels()) && depth_left > 0) {
      ChildStream stream(dynamic);
      if (common != MIXED) {
        unsigned ctas = (unsigned)(square.pixels() + THREADS - 1) / THREADS;
        fill<<<ctas, THREADS, 0, stream>>>(image, plane, square, common);
      } else {
        Square quarter = {square.x, square.y, square.edge / 2};
        subdivide<<<dim3(2, 2), THREADS, 0, stream>>>(image, plane, quarter, depth_left - 1,
                                                      dynamic);
      }
      is_launched = cudaGetLastError() == cudaSuccess;
    }
  }
  __syncthreads();
  if (is_launched) return;
  for (int i = threadIdx.x; i < square.pixels(); i += THREADS) {
    int x = square.x + i % square.edge, y = square.y + i / square.edge;
    image[y * plane.size + x] = common != MIXED ? common : dwell(plane, x, y);
  }
}

// The same on the host, but for what is never launched.
static void subdivide_on_host(std::vector<int> *image, const Plane &plane, const Square &square,
                              int depth_left, int threshold) {
  int common = dwell(plane, square.x, square.y);
  for (int k = 0; k < 4 * square.edge && common != MIXED; k++) {
    int side = k / square.edge, place = k % square.edge;
    if (dwell(plane, square.border_x(side, place), square.border_y(side, place)) != common)
      common = MIXED;
  }
  if (common == MIXED && square.pixels() > threshold && depth_left > 0) {
    int half = square.edge / 2;
    for (int part = 0; part < 4; part++)
      subdivide_on_host(image, plane,
                        {square.x + part % 2 * half, square.y + part / 2 * half, half},
                        depth_left - 1, threshold);
    return;
  }
  for (int y = square.y; y < square.y + square.edge; y++)
    for (int x = square.x; x < square.x + square.edge; x++)
      (*image)[(size_t)y * plane.size + x] = common != MIXED ? common : dwell(plane, x, y);
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "the Mandelbrot set by recursive subdivision");
  Plane plane;
  plane.size = (int)arguments.number("edge", {128, 512, 2048}, 1, 16384,
                                     "pixels of an edge, a power of two");
  plane.most = (int)arguments.number("dwell", {32, 128, 512}, 1, 1 << 20, "steps a pixel may take");
  int depth = (int)arguments.number("depth", {6, 6, 6}, 0, 24, "nested launches, at most");
  Dynamic dynamic =
      dynamic_options(&arguments, {1024, 1024, 1024}, "pixels that a CTA computes itself");
  arguments.done();
  if (plane.size & (plane.size - 1))
    fail(EXIT_INPUT, "--edge %d: must be a power of two", plane.size);

  // Without launches the grid consists of small squares from the start.
  int squares = 1;
  while (dynamic.is_flat && plane.size / squares > 32) squares *= 2;
  Square first = {0, 0, plane.size / squares};
  dynamic_make_room(dynamic, plane.size);
  DeviceArray<int> image((size_t)plane.size * plane.size);
  Timer timer;
  subdivide<<<dim3((unsigned)squares, (unsigned)squares), THREADS>>>(image, plane, first, depth,
                                                                     dynamic);
  timer.stop("mandelbrot");
  std::vector<int> expected(image.count());
  for (int s = 0; s < squares * squares; s++)
    subdivide_on_host(&expected, plane,
                      {s % squares * first.edge, s / squares * first.edge, first.edge}, depth,
                      dynamic.is_flat ? INT_MAX : dynamic.threshold);
  Comparison comparison;
  comparison.exact("dwells", image.get(), expected);
  return comparison.verdict();
}
