// SPDX-License-Identifier: MIT
// Alignment of two sequences (Needleman and Wunsch, 1970): the best score of two
// prefixes follows from those of shorter ones, above, left, and diagonally. A CTA of
// half a warp fills a tile of 16 x 16 in shared memory, a launch the tiles of one
// anti-diagonal. A tile reads the last row and columns of its neighbours: words in
// the very lines that other CTAs write.
//
// NW in Li et al. (write), Yen and Oh et al. (cache-sensitive). Scores of all prefixes of two
// random sequences, with random similarities of 24 letters; tiles of 16 x 16, one launch per
// anti-diagonal, half a warp per CTA. Rows are n + 1 words, so that tiles are not aligned to
// lines, and CTAs write into lines that others read. The traceback is omitted: the suite does
// it on the host. Loops are not unrolled. Compared exactly. At `paper`: n = 2048, the suite's
// default; the 4 MB of Yen are one matrix of `--n 1024`. `--unrolled 1` loads the rows of a
// tile all at once, as the shares of its loads in table I of Oh et al. suggest.
// test: --unrolled 1
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/timer.h"

enum { TILE = 16, LETTERS = 24 };

// Of the score matrix; both matrices have a row and a column before the first letters.
struct Alignment {
  int width, penalty;
};

__host__ __device__ static int best_of(int diagonal, int left, int above, int similarity,
                                       int penalty) {
  int best = diagonal + similarity;
  if (left - penalty > best) best = left - penalty;
  if (above - penalty > best) best = above - penalty;
  return best;
}

// Rows of a tile, loaded one after the other or all at once: the shares of loads in
// table I of Oh et al., "APRES", are those of an unrolled loop.
template <bool UNROLLED>
__device__ static void load_rows(int (*like)[TILE], const int *similarity, int width) {
  int t = threadIdx.x;
  if (UNROLLED) {
#pragma unroll
    for (int y = 0; y < TILE; y++) like[y][t] = similarity[y * width + t];
  } else {
#pragma unroll 1
    for (int y = 0; y < TILE; y++) like[y][t] = similarity[y * width + t];
  }
}

template <bool UNROLLED>
__device__ static void fill_tile(const int *similarity, int *score, Alignment alignment, int tile_x,
                                 int tile_y) {
  __shared__ int tile[TILE + 1][TILE + 1], like[TILE][TILE];
  int t = threadIdx.x, width = alignment.width;
  int first = (tile_y * TILE + 1) * width + tile_x * TILE + 1;
  load_rows<UNROLLED>(like, similarity + first, width);
  if (t == 0) tile[0][0] = score[first - width - 1];
  tile[t + 1][0] = score[first + t * width - 1];
  tile[0][t + 1] = score[first - width + t];
  __syncthreads();
#pragma unroll 1
  for (int diagonal = 0; diagonal < 2 * TILE - 1; diagonal++) {
    int y = diagonal - t;
    if (y >= 0 && y < TILE)
      tile[y + 1][t + 1] =
          best_of(tile[y][t], tile[y + 1][t], tile[y][t + 1], like[y][t], alignment.penalty);
    __syncthreads();
  }
#pragma unroll 1
  for (int y = 0; y < TILE; y++) score[first + y * width + t] = tile[y + 1][t + 1];
}

// A diagonal of `tiles` tiles from the left edge up to the upper one.
__global__ void fill_upper_left(const int *similarity, int *score, Alignment alignment, int tiles) {
  fill_tile<false>(similarity, score, alignment, blockIdx.x, tiles - 1 - (int)blockIdx.x);
}

__global__ void fill_upper_left_unrolled(const int *similarity, int *score, Alignment alignment,
                                         int tiles) {
  fill_tile<true>(similarity, score, alignment, blockIdx.x, tiles - 1 - (int)blockIdx.x);
}

// From the lower edge, of `edge` tiles, up to the right one.
__global__ void fill_lower_right(const int *similarity, int *score, Alignment alignment, int tiles,
                                 int edge) {
  fill_tile<false>(similarity, score, alignment, edge - tiles + (int)blockIdx.x,
                   edge - 1 - (int)blockIdx.x);
}

__global__ void fill_lower_right_unrolled(const int *similarity, int *score, Alignment alignment,
                                          int tiles, int edge) {
  fill_tile<true>(similarity, score, alignment, edge - tiles + (int)blockIdx.x,
                  edge - 1 - (int)blockIdx.x);
}

// How alike the letters at each pair of places are: identical ones more than others.
static std::vector<int> make_similarity(int n, Random &random) {
  std::vector<int> one = random.integers((size_t)n, 0, LETTERS), letters(LETTERS * LETTERS);
  std::vector<int> other = random.integers((size_t)n, 0, LETTERS);
  for (int a = 0; a < LETTERS; a++)
    for (int b = 0; b <= a; b++)
      letters[a * LETTERS + b] = letters[b * LETTERS + a] =
          a == b ? 4 + (int)random.below(8) : (int)random.below(8) - 4;
  size_t width = (size_t)n + 1;
  std::vector<int> similarity(width * width);
  for (size_t y = 1; y < width; y++)
    for (size_t x = 1; x < width; x++)
      similarity[y * width + x] = letters[other[y - 1] * LETTERS + one[x - 1]];
  return similarity;
}

// Only the first row and column: gaps alone.
static std::vector<int> make_borders(int n, int penalty) {
  size_t width = (size_t)n + 1;
  std::vector<int> score(width * width);
  for (size_t i = 0; i < width; i++) score[i] = score[i * width] = -(int)i * penalty;
  return score;
}

static void align_on_host(const std::vector<int> &similarity, std::vector<int> &score,
                          const Alignment &alignment) {
  size_t width = (size_t)alignment.width;
  for (size_t y = 1; y < width; y++)
    for (size_t x = 1; x < width; x++) {
      size_t at = y * width + x;
      score[at] = best_of(score[at - width - 1], score[at - 1], score[at - width], similarity[at],
                          alignment.penalty);
    }
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "alignment of two sequences");
  int n = (int)arguments.multiple("n", TILE, {64, 512, 2048}, TILE, 16384, "letters a sequence");
  int penalty = (int)arguments.number("penalty", {10, 10, 10}, 0, 1000, "cost of a gap");
  bool is_unrolled =
      arguments.number("unrolled", {0, 0, 0}, 0, 1, "1: rows of a tile are loaded all at once");
  arguments.done();

  Random random(arguments.seed());
  std::vector<int> similarity = make_similarity(n, random), score = make_borders(n, penalty);
  Alignment alignment = {n + 1, penalty};
  DeviceArray<int> device_similarity(similarity), device_score(score);
  int edge = n / TILE;
  Timer timer;
  for (int tiles = 1; tiles <= edge; tiles++)
    if (is_unrolled)
      fill_upper_left_unrolled<<<tiles, TILE>>>(device_similarity, device_score, alignment, tiles);
    else
      fill_upper_left<<<tiles, TILE>>>(device_similarity, device_score, alignment, tiles);
  for (int tiles = edge - 1; tiles >= 1; tiles--)
    if (is_unrolled)
      fill_lower_right_unrolled<<<tiles, TILE>>>(device_similarity, device_score, alignment, tiles, edge);
    else
      fill_lower_right<<<tiles, TILE>>>(device_similarity, device_score, alignment, tiles, edge);
  timer.stop("nw");

  align_on_host(similarity, score, alignment);
  Comparison comparison;
  comparison.exact("scores", device_score.get(), score);
  return comparison.verdict();
}
