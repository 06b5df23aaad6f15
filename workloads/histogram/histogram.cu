// SPDX-License-Identifier: MIT
// How many bytes fall into each of 64 bins, by their upper six bits. A first kernel
// counts parts of the data, each thread for itself with counters of one byte in
// shared memory; a second one adds the parts, a CTA a bin. The 32 CTAs of
// neighbouring bins read the same lines, of which each needs one word.
//
// HST in Li et al. (data). Random bytes, most of them in the middle bins, counted by their
// upper six bits: threads count up to 240 bytes each in byte counters of their own, in shared
// memory, then one CTA per bin adds the parts. The paper's 8 warps and 1024 bytes are those of
// the second kernel, whose CTAs use a word each of the same lines. Compared exactly. At
// `paper`: 64 MB, the sample's default, in 4370 parts.
// `--original 1`: counters are added up byte by byte, as in the sample.
// test: --original 1
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/timer.h"

enum {
  BINS = 64,
  COUNT_THREADS = 64,
  MERGE_THREADS = 256,
  PIECE = sizeof(uint4),
  MOST_PIECES = 255 / PIECE,  // of a thread, so that no counter overflows
};

// A thread's counters, one for each bin, lie COUNT_THREADS bytes apart.
__device__ static void count_word(uint8_t *own, unsigned word) {
#pragma unroll
  for (int shift = 2; shift < 32; shift += 8) own[(word >> shift & 63) * COUNT_THREADS]++;
}

__global__ void count_parts(const uint4 *data, int pieces, unsigned *parts) {
  __shared__ unsigned counters[BINS * COUNT_THREADS / 4];
  int t = threadIdx.x;
  for (int i = t; i < BINS * COUNT_THREADS / 4; i += COUNT_THREADS) counters[i] = 0;
  __syncthreads();

  // 16 neighbours count in words of their own, in banks of their own.
  uint8_t *own = (uint8_t *)counters + t % 16 * 4 + t / 16;
  for (int i = blockIdx.x * COUNT_THREADS + t; i < pieces; i += gridDim.x * COUNT_THREADS) {
    uint4 piece = data[i];
    count_word(own, piece.x);
    count_word(own, piece.y);
    count_word(own, piece.z);
    count_word(own, piece.w);
  }
  __syncthreads();

  unsigned sum = 0;  // of bin t
  for (int i = 0; i < COUNT_THREADS / 4; i++) {
    unsigned four = counters[t * (COUNT_THREADS / 4) + (t + i) % (COUNT_THREADS / 4)];
    sum += (four & 255) + (four >> 8 & 255) + (four >> 16 & 255) + (four >> 24);
  }
  parts[blockIdx.x * BINS + t] = sum;
}

__global__ void merge_parts(const unsigned *parts, int count, unsigned *histogram) {
  __shared__ unsigned sums[MERGE_THREADS];
  int t = threadIdx.x, bin = blockIdx.x;
  unsigned sum = 0;
  for (int i = t; i < count; i += MERGE_THREADS) sum += parts[i * BINS + bin];
  sums[t] = sum;
  for (int half = MERGE_THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) sums[t] += sums[t + half];
  }
  if (t == 0) histogram[bin] = sums[0];
}

// As in NVIDIA's sample: the counters of a bin are added up byte by byte.
__global__ void count_parts_original(unsigned *parts, const uint4 *data, unsigned pieces) {
  __shared__ uint8_t counters[BINS * COUNT_THREADS];
  unsigned t = threadIdx.x;
#pragma unroll
  for (int i = 0; i < BINS / 4; i++) ((unsigned *)counters)[t + i * COUNT_THREADS] = 0;
  __syncthreads();
  uint8_t *own = counters + t % 16 * 4 + t / 16;
  for (unsigned i = blockIdx.x * blockDim.x + t; i < pieces; i += blockDim.x * gridDim.x) {
    uint4 piece = data[i];
    count_word(own, piece.x);
    count_word(own, piece.y);
    count_word(own, piece.z);
    count_word(own, piece.w);
  }
  __syncthreads();

  const uint8_t *bin = counters + t * COUNT_THREADS;
  unsigned sum = 0, place = t % 16 * 4;  // neighbours begin in banks of their own
#pragma unroll
  for (int i = 0; i < COUNT_THREADS / 4; i++) {
    sum += bin[place] + bin[place + 1] + bin[place + 2] + bin[place + 3];
    place = (place + 4) % COUNT_THREADS;
  }
  parts[blockIdx.x * BINS + t] = sum;
}

// The mean of two random bytes: the middle bins are the fullest.
static std::vector<uint8_t> make_bytes(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<uint8_t> bytes(count);
  for (uint8_t &byte : bytes) byte = (uint8_t)((random.below(256) + random.below(256)) / 2);
  return bytes;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "histogram of 64 bins");
  long long count = arguments.multiple("bytes", PIECE, {1 << 16, 4 << 20, 64 << 20}, PIECE, 1 << 30,
                                       "bytes to count");
  bool is_original =
      arguments.number("original", {0, 0, 0}, 0, 1, "1: counters added as in the sample");
  arguments.done();

  std::vector<uint8_t> bytes = make_bytes((size_t)count, arguments.seed());
  int pieces = (int)(count / PIECE);
  unsigned parts = ctas_for(pieces, COUNT_THREADS * MOST_PIECES);
  DeviceArray<uint8_t> data(bytes);
  DeviceArray<unsigned> device_parts((size_t)parts * BINS), histogram(BINS);
  Timer timer;
  const uint4 *device_pieces = (const uint4 *)(uint8_t *)data;
  if (is_original)
    count_parts_original<<<parts, COUNT_THREADS>>>(device_parts, device_pieces, (unsigned)pieces);
  else
    count_parts<<<parts, COUNT_THREADS>>>(device_pieces, pieces, device_parts);
  merge_parts<<<BINS, MERGE_THREADS>>>(device_parts, (int)parts, histogram);
  timer.stop("histogram");

  std::vector<unsigned> expected(BINS);
  for (uint8_t byte : bytes) expected[byte >> 2]++;
  Comparison comparison;
  comparison.exact("histogram", histogram.get(), expected);
  return comparison.verdict();
}
