// SPDX-License-Identifier: MIT
// Motion estimation of a video encoder: for every block of a frame and every place
// up to 16 pixels away in a reference frame, the sum of absolute differences
// (SAD). A first kernel does it for blocks of 4 x 4, a CTA a block, whose threads
// have 18 places each; two more add these up to blocks of up to 16 x 16. The
// reference is a texture; all that the L1 sees is read or written once.
//
// SAD in Li et al. (streaming). Sums of absolute differences of 41 blocks per macroblock at 33
// x 33 places; a frame generated from its reference by a shift and noise. The paper's 2 warps
// are those of the first kernel, 61 threads with 18 places each; it reads the reference as a
// texture, by an object instead of the suite's reference. Compared exactly. At `paper`: 176 x
// 144, the suite's default set; `small` is 96 x 80.
// `--original 1`: Parboil's first kernel alone, with the block and its SADs in shared memory
// and three places at a time.
// test: --original 1
#include <algorithm>
#include <cstdlib>

#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/image.h"
#include "common/texture.h"
#include "common/timer.h"

enum {
  RANGE = 16,
  PLACES_A_ROW = 2 * RANGE + 1,
  PLACES = PLACES_A_ROW * PLACES_A_ROW,
  PADDED = 1096,  // places that a block has room for
  PLACES_A_THREAD = 18,
  THREADS = (PLACES + PLACES_A_THREAD - 1) / PLACES_A_THREAD,  // 61
};

// Where the results of each shape begin, in blocks a macroblock of 16 x 16.
enum {
  OF_16X16 = 0,
  OF_16X8 = 1,
  OF_8X16 = 3,
  OF_8X8 = 5,
  OF_8X4 = 9,
  OF_4X8 = 17,
  OF_4X4 = 25,
  ALL_BLOCKS = 41,
};

// The SADs of one block: `shape` of the above, which has `blocks` a macroblock.
__host__ __device__ static size_t block_begin(int shape, int blocks, int macroblocks,
                                              int macroblock, int block) {
  return ((size_t)shape * macroblocks + (size_t)macroblock * blocks + block) * PADDED;
}

// The grid is the frame's blocks of 4 x 4.
__global__ void sad_4x4(const unsigned short *frame, cudaTextureObject_t reference,
                        unsigned short *sads) {
  int bx = blockIdx.x, by = blockIdx.y, width = gridDim.x * 4;
  int own[4][4];
#pragma unroll
  for (int y = 0; y < 4; y++)
#pragma unroll
    for (int x = 0; x < 4; x++) own[y][x] = frame[(by * 4 + y) * width + bx * 4 + x];

  int macroblocks = gridDim.x / 4 * (gridDim.y / 4);
  unsigned short *out = sads + block_begin(OF_4X4, 16, macroblocks,
                                           by / 4 * (gridDim.x / 4) + bx / 4, by % 4 * 4 + bx % 4);
  int first = threadIdx.x * PLACES_A_THREAD, end = min(first + PLACES_A_THREAD, (int)PLACES);
  for (int place = first; place < end; place++) {
    int left = bx * 4 + place % PLACES_A_ROW - RANGE, top = by * 4 + place / PLACES_A_ROW - RANGE;
    int sum = 0;
#pragma unroll
    for (int y = 0; y < 4; y++)
#pragma unroll
      for (int x = 0; x < 4; x++)
        sum += abs(own[y][x] -
                   (int)tex2D<unsigned short>(reference, (float)(left + x), (float)(top + y)));
    out[place] = (unsigned short)sum;
  }
}

// From here on two places at a time, in the halves of a word: no sum exceeds 65535.
__device__ static unsigned *pairs_of(unsigned short *sads, int shape, int blocks, int block) {
  int macroblock = blockIdx.y * gridDim.x + blockIdx.x;
  return (unsigned *)(sads + block_begin(shape, blocks, gridDim.x * gridDim.y, macroblock, block));
}

// Blocks of 8 x 4, 4 x 8 and 8 x 8: a warp for each quarter of the macroblock.
__global__ void sad_8x8(unsigned short *sads) {
  int quarter = threadIdx.y, left = quarter % 2 * 2, top = quarter / 2 * 2;
  const unsigned *part[2][2];
  for (int y = 0; y < 2; y++)
    for (int x = 0; x < 2; x++) part[y][x] = pairs_of(sads, OF_4X4, 16, (top + y) * 4 + left + x);
  unsigned *wide = pairs_of(sads, OF_8X4, 8, quarter * 2);
  unsigned *high = pairs_of(sads, OF_4X8, 8, quarter * 2);
  unsigned *whole = pairs_of(sads, OF_8X8, 4, quarter);
  for (int i = threadIdx.x; i < PADDED / 2; i += 32) {
    unsigned a = part[0][0][i], b = part[0][1][i], c = part[1][0][i], d = part[1][1][i];
    wide[i] = a + b;
    wide[PADDED / 2 + i] = c + d;
    high[i] = a + c;
    high[PADDED / 2 + i] = b + d;
    whole[i] = a + b + c + d;
  }
}

// Blocks of 16 x 8, 8 x 16 and 16 x 16: a warp a macroblock.
__global__ void sad_16x16(unsigned short *sads) {
  const unsigned *part = pairs_of(sads, OF_8X8, 4, 0);
  unsigned *wide = pairs_of(sads, OF_16X8, 2, 0), *high = pairs_of(sads, OF_8X16, 2, 0);
  unsigned *whole = pairs_of(sads, OF_16X16, 1, 0);
  for (int i = threadIdx.x; i < PADDED / 2; i += 32) {
    unsigned a = part[i], b = part[PADDED / 2 + i], c = part[PADDED + i];
    unsigned d = part[PADDED / 2 * 3 + i];
    wide[i] = a + b;
    wide[PADDED / 2 + i] = c + d;
    high[i] = a + c;
    high[PADDED / 2 + i] = b + d;
    whole[i] = a + b + c + d;
  }
}

// The first kernel as in Parboil: the block and its SADs are in shared memory, three
// neighbouring places at a time share their pixels of the reference, and results leave
// eight bytes a thread.
enum { FRAME_ROW = 4, TRIPLE = 3 };

// A row of four pixels against three places; `left` is the first place's column.
__device__ static void add_row(cudaTextureObject_t reference, const unsigned short *own, int left,
                               int top, unsigned short sums[TRIPLE]) {
#pragma unroll
  for (int x = 0; x < FRAME_ROW + TRIPLE - 1; x++) {
    int pixel = tex2D<unsigned short>(reference, (float)(left + x), (float)top);
#pragma unroll
    for (int i = 0; i < TRIPLE; i++)
      if (x >= i && x - i < FRAME_ROW) sums[i] += abs(pixel - own[x - i]);
  }
}

__global__ void sad_4x4_original(unsigned short *sads, const unsigned short *frame,
                                 cudaTextureObject_t reference, int columns) {
  __shared__ unsigned short own[16];
  __shared__ __align__(8) unsigned short own_sads[PADDED];
  int t = threadIdx.x, bx = blockIdx.x, by = blockIdx.y, width = columns * 16;
  if (t < 16) own[t] = frame[(by * 4 + t / 4) * width + bx * 4 + t % 4];
  __syncthreads();
  int first = t * PLACES_A_THREAD, end = min(first + PLACES_A_THREAD, (int)PLACES);
  int x = first % PLACES_A_ROW, top = by * 4 + first / PLACES_A_ROW - RANGE;
  for (int place = first; place < end; place += TRIPLE) {
    unsigned short sums[TRIPLE] = {0, 0, 0};
#pragma unroll
    for (int y = 0; y < 4; y++)
      add_row(reference, own + y * FRAME_ROW, bx * 4 + x - RANGE, top + y, sums);
    for (int i = 0; i < TRIPLE; i++) own_sads[place + i] = sums[i];
    x += TRIPLE;
    if (x >= PLACES_A_ROW) {
      x -= PLACES_A_ROW;
      top++;
    }
  }
  __syncthreads();
  if (t >= 32) return;
  int block = (by / 4 * columns + bx / 4) * 16 + by % 4 * 4 + bx % 4;
  uint2 *out = (uint2 *)(sads + block * PADDED);
  for (int i = t; i < PADDED / 4; i += 32) out[i] = ((const uint2 *)own_sads)[i];
}

struct Shape {
  int begin, width, height;  // OF_..., pixels
};

// Frames of one size, in whole macroblocks.
struct Video {
  int width, height;
  std::vector<unsigned short> frame, reference;

  int difference(int x, int y, int dx, int dy) const {
    int rx = std::min(std::max(x + dx, 0), width - 1),
        ry = std::min(std::max(y + dy, 0), height - 1);
    return abs(frame[(size_t)y * width + x] - reference[(size_t)ry * width + rx]);
  }
};

static void sad_of_block(const Video &video, int left, int top, const Shape &shape,
                         unsigned short *out) {
  for (int place = 0; place < PLACES; place++) {
    int dx = place % PLACES_A_ROW - RANGE, dy = place / PLACES_A_ROW - RANGE, sum = 0;
    for (int y = top; y < top + shape.height; y++)
      for (int x = left; x < left + shape.width; x++) sum += video.difference(x, y, dx, dy);
    out[place] = (unsigned short)sum;
  }
}

// Blocks of a macroblock are in rows; those smaller than 8 x 8 by quarters, but
// for the 4 x 4.
static void block_offset(const Shape &shape, int block, int *x, int *y) {
  bool by_quarters = shape.width * shape.height == 32;
  int edge = by_quarters ? 8 : 16, a_row = edge / shape.width;
  int inside = by_quarters ? block % 2 : block, quarter = by_quarters ? block / 2 : 0;
  *x = quarter % 2 * 8 + inside % a_row * shape.width;
  *y = quarter / 2 * 8 + inside / a_row * shape.height;
}

static std::vector<unsigned short> sads_on_host(const Video &video) {
  static const Shape shapes[] = {{OF_16X16, 16, 16}, {OF_16X8, 16, 8}, {OF_8X16, 8, 16},
                                 {OF_8X8, 8, 8},     {OF_8X4, 8, 4},   {OF_4X8, 4, 8},
                                 {OF_4X4, 4, 4}};
  int columns = video.width / 16, macroblocks = columns * (video.height / 16);
  std::vector<unsigned short> sads((size_t)macroblocks * ALL_BLOCKS * PADDED);
  for (const Shape &shape : shapes) {
    int blocks = 256 / (shape.width * shape.height), x, y;
    for (int i = 0; i < macroblocks * blocks; i++) {
      int macroblock = i / blocks, block = i % blocks;
      block_offset(shape, block, &x, &y);
      sad_of_block(video, macroblock % columns * 16 + x, macroblock / columns * 16 + y, shape,
                   &sads[block_begin(shape.begin, blocks, macroblocks, macroblock, block)]);
    }
  }
  return sads;
}

// Of the 4 x 4 blocks alone, macroblock by macroblock. What lies beyond the last place
// is whatever shared memory holds, and not compared.
static int find_4x4_as_original(const Video &video) {
  int columns = video.width / 16, macroblocks = columns * (video.height / 16);
  DeviceArray<unsigned short> frame(video.frame), sads((size_t)macroblocks * 16 * PADDED);
  Texture<unsigned short> reference(video.reference, video.width, video.height);
  Timer timer;
  sad_4x4_original<<<dim3(video.width / 4, video.height / 4), THREADS>>>(sads, frame, reference,
                                                                         columns);
  timer.stop("sad");
  std::vector<unsigned short> got = sads.get(), expected = got;
  for (int block = 0; block < macroblocks * 16; block++) {
    int macroblock = block / 16;
    sad_of_block(video, macroblock % columns * 16 + block % 4 * 4,
                 macroblock / columns * 16 + block % 16 / 4 * 4, {0, 4, 4},
                 &expected[(size_t)block * PADDED]);
  }
  Comparison comparison;
  comparison.exact("SADs", got, expected);
  return comparison.verdict();
}

// The frame is the reference, three pixels to the right and two down, with noise.
static Video make_video(int width, int height, uint64_t seed) {
  Image still = image_generate(width + RANGE, height + RANGE, 20, seed);
  Random random(seed + 1);
  Video video = {width, height, {}, {}};
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      int moved = still.pixel[(size_t)(y + 2) * still.width + x + 3];
      video.reference.push_back(still.pixel[(size_t)y * still.width + x]);
      video.frame.push_back((unsigned short)std::min(moved + (int)random.below(4), 255));
    }
  return video;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "sums of absolute differences, for motion estimation");
  int width = (int)arguments.multiple("width", 16, {32, 96, 176}, 16, 4096, "pixels a row");
  int height = (int)arguments.multiple("height", 16, {16, 80, 144}, 16, 4096, "rows");
  bool is_original =
      arguments.number("original", {0, 0, 0}, 0, 1, "1: Parboil's 4 x 4 kernel alone");
  arguments.done();

  Video video = make_video(width, height, arguments.seed());
  if (is_original) return find_4x4_as_original(video);
  std::vector<unsigned short> expected = sads_on_host(video);
  DeviceArray<unsigned short> frame(video.frame), sads(expected.size());
  Texture<unsigned short> reference(video.reference, width, height);
  dim3 macroblocks(width / 16, height / 16);
  Timer timer;
  sad_4x4<<<dim3(width / 4, height / 4), THREADS>>>(frame, reference, sads);
  sad_8x8<<<macroblocks, dim3(32, 4)>>>(sads);
  sad_16x16<<<macroblocks, 32>>>(sads);
  timer.stop("sad");

  Comparison comparison;
  comparison.exact("SADs", sads.get(), expected);
  return comparison.verdict();
}
