// SPDX-License-Identifier: MIT
// Kernels with a planted race each, and their corrected twins: planted NAME, planted NAME fixed.
// The check must find the former (lines marked A and B, which tests read from here) and report
// nothing for the latter.
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 128, CTAS = 4, COUNT = THREADS * CTAS, TILE = 8, SIDE = 16 };

// ---- reduction: a barrier is missing in the loop

template <bool fixed>
__global__ void reduction(const int *in, int *out) {
  __shared__ int sums[THREADS];
  int t = threadIdx.x;
  sums[t] = in[blockIdx.x * THREADS + t];
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    int sum = 0;
    if (t < half) sum = sums[t] + sums[t + half];  // B reduction
    if (fixed) __syncthreads();
    if (t < half) sums[t] = sum;  // A reduction
    if (fixed) __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}

// ---- tile_load: no barrier between the load of a tile and its use

template <bool fixed>
__global__ void tile_load(const float *a, const float *b, float *c) {
  __shared__ float left[TILE][TILE], right[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float sum = 0;
  for (int k = 0; k < SIDE; k += TILE) {
    left[y][x] = a[row * SIDE + k + x];  // A tile_load
    right[y][x] = b[(k + y) * SIDE + column];
    if (fixed) __syncthreads();
    for (int i = 0; i < TILE; i++) sum += left[y][i] * right[i][x];  // B tile_load
    __syncthreads();
  }
  c[row * SIDE + column] = sum;
}

// ---- tile_reuse: no barrier before the next tile replaces the last one

template <bool fixed>
__global__ void tile_reuse(const float *a, const float *b, float *c) {
  __shared__ float left[TILE][TILE], right[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float sum = 0;
  for (int k = 0; k < SIDE; k += TILE) {
    left[y][x] = a[row * SIDE + k + x];
    right[y][x] = b[(k + y) * SIDE + column];  // B tile_reuse
    __syncthreads();
    for (int i = 0; i < TILE; i++) sum += left[y][i] * right[i][x];  // A tile_reuse
    if (fixed) __syncthreads();
  }
  c[row * SIDE + column] = sum;
}

// ---- warp_synchronous: lanes of a warp exchange data without __syncwarp()

template <bool fixed>
__global__ void warp_synchronous(const int *in, int *out) {
  __shared__ volatile int sums[32];
  int lane = threadIdx.x;
  sums[lane] = in[lane];
  if (fixed) __syncwarp();
  for (int half = 16; half > 0; half /= 2) {
    int other = lane < half ? sums[lane + half] : 0;  // B warp_synchronous
    if (fixed) __syncwarp();
    if (lane < half) sums[lane] = sums[lane] + other;  // A warp_synchronous
    if (fixed) __syncwarp();
  }
  if (lane == 0) *out = sums[0];
}

// ---- overlap: CTAs write to elements of their neighbours

template <bool fixed>
__global__ void overlap(int *out) {
  int stride = fixed ? THREADS : THREADS - 1;
  out[blockIdx.x * stride + threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;  // A overlap B overlap
}

// ---- flag: a CTA publishes data with a flag; the fences are missing

template <bool fixed>
__global__ void flag(int *data, volatile int *ready, int *out) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    data[0] = 42;  // A flag
    if (fixed) __threadfence();
    *ready = 1;
  } else if (blockIdx.x == 1) {
    while (!*ready) {
    }
    if (fixed) __threadfence();
    out[0] = data[0];  // B flag
  }
}

// ---- histogram: counts without atomics

template <bool fixed>
__global__ void histogram(const int *in, int *bins) {
  int bin = in[blockIdx.x * THREADS + threadIdx.x] & 7;
  if (fixed)
    atomicAdd(&bins[bin], 1);
  else
    bins[bin] += 1;  // A histogram B histogram
}

// ---- named: the consumers wait at another barrier than the producers

template <bool fixed>
__global__ void named(const int *in, int *out) {
  __shared__ int values[64];
  int t = threadIdx.x;
  if (t < 64) {
    values[t] = in[t];  // A named
    asm volatile("bar.arrive 1, 128;" ::: "memory");
    if (!fixed) asm volatile("bar.sync 2, 64;" ::: "memory");
  } else {
    if (fixed)
      asm volatile("bar.sync 1, 128;" ::: "memory");
    else
      asm volatile("bar.sync 3, 64;" ::: "memory");
    out[t - 64] = values[127 - t];  // B named
    if (!fixed) asm volatile("bar.sync 1, 128;" ::: "memory");
  }
}

// ---- stencil: in place, neighbours are read while other threads write them

template <bool fixed>
__global__ void stencil(int *data, int *other) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  if (i == 0 || i >= COUNT - 1) return;
  int sum = data[i - 1] + data[i] + data[i + 1];  // A stencil
  (fixed ? other : data)[i] = sum;                // B stencil
}

// ---- last_block: the last CTA to count sums up what the others wrote, without a fence

template <bool fixed>
__global__ void last_block(const int *in, int *sums, unsigned *count, int *out) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = in[blockIdx.x];  // A last_block
    if (fixed) __threadfence();
    is_last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x < gridDim.x) atomicAdd(out, sums[threadIdx.x]);  // B last_block
}

// ---- merge: the counts of a CTA are read before all its threads have counted

template <bool fixed>
__global__ void merge(const int *in, int *bins) {
  __shared__ int local[8];
  if (threadIdx.x < 8) local[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&local[in[threadIdx.x] & 7], 1);  // A merge
  if (fixed) __syncthreads();
  if (threadIdx.x < 8) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);  // B merge
}

// ---- lock: a critical section; without a fence other CTAs may see an old sum

template <bool fixed>
__global__ void lock(int *taken, int *sum) {
  if (threadIdx.x) return;
  while (atomicCAS(taken, 0, 1)) {
  }
  if (fixed) __threadfence();
  int old = *sum;
  *sum = old + 1;  // A lock B lock
  if (fixed) __threadfence();
  atomicExch(taken, 0);
}

// ---- bytes: a thread writes one byte too many; neighbouring bytes are no race

template <bool fixed>
__global__ void bytes(unsigned char *out) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  out[i] = (unsigned char)i;  // A bytes
  if (!fixed && i == 5) out[6] = 77;  // B bytes
}

// ---- looked_at: a warp writes what another reads, and an earlier kernel has read

__global__ void look(const int *data, int *out) {
  out[threadIdx.x] = data[threadIdx.x];
}

template <bool fixed>
__global__ void looked_at(int *data, int *out) {
  int lane = threadIdx.x % 32;
  int value = data[lane];  // A looked_at
  if (fixed) __syncthreads();
  if (threadIdx.x >= 32)
    data[lane] = value + 1;  // B looked_at
  else
    out[lane] = value;
}

// ---- rows: CTAs write the same words; only the first lane's values are the same

template <bool fixed>
__global__ void rows(int *out) {
  int lane = threadIdx.x, row = fixed ? blockIdx.x * 32 : 0;
  out[row + lane] = lane ? blockIdx.x : 0;  // A rows B rows
}

// ---- same: benign, all write the same value

template <bool fixed>
__global__ void same(int *out) {
  out[0] = 1;  // A same B same
}

// ---- tested: benign, the atomic decides

template <bool fixed>
__global__ void tested(const int *in, int *most) {
  int value = in[blockIdx.x * THREADS + threadIdx.x];
  if (*most < value) atomicMax(most, value);  // A tested B tested
}

// ---- the host

static int *make(int bytes) {
  int *array;
  cudaMalloc(&array, bytes);
  cudaMemset(array, 0, bytes);
  return array;
}

#define LAUNCH(name, grid, block, ...)        \
  if (strcmp(argv[1], #name) == 0) {          \
    if (fixed)                                \
      name<true><<<grid, block>>>(__VA_ARGS__); \
    else                                      \
      name<false><<<grid, block>>>(__VA_ARGS__); \
  }

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  bool fixed = argc > 2 && strcmp(argv[2], "fixed") == 0;
  int input[COUNT];
  for (int i = 0; i < COUNT; i++) input[i] = i * 7 % 31;
  int *in = make(sizeof input), *out = make(2 * sizeof input), *other = make(2 * sizeof input);
  float *matrices = (float *)make(3 * SIDE * SIDE * sizeof(float));
  float *a = matrices, *b = a + SIDE * SIDE, *c = b + SIDE * SIDE;
  cudaMemcpy(in, input, sizeof input, cudaMemcpyHostToDevice);
  dim3 tiles(SIDE / TILE, SIDE / TILE), tile(TILE, TILE);
  LAUNCH(reduction, CTAS, THREADS, in, out)
  LAUNCH(tile_load, tiles, tile, a, b, c)
  LAUNCH(tile_reuse, tiles, tile, a, b, c)
  LAUNCH(warp_synchronous, 1, 32, in, out)
  LAUNCH(overlap, CTAS, THREADS, out)
  LAUNCH(flag, CTAS, 32, other, out + 1, out)
  LAUNCH(histogram, CTAS, THREADS, in, out)
  LAUNCH(named, 1, THREADS, in, out)
  LAUNCH(stencil, CTAS, THREADS, in, other)
  LAUNCH(last_block, CTAS, THREADS, in, other, (unsigned *)out + 1, out)
  LAUNCH(merge, 1, THREADS, in, out)
  LAUNCH(lock, CTAS, 32, other, out)
  LAUNCH(bytes, CTAS, THREADS, (unsigned char *)out)
  if (strcmp(argv[1], "looked_at") == 0) look<<<1, 32>>>(in, other);
  LAUNCH(looked_at, 1, 64, in, out)
  LAUNCH(rows, CTAS, 32, out)
  LAUNCH(same, CTAS, THREADS, out)
  LAUNCH(tested, CTAS, THREADS, in, out)
  int result;
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
  printf("%s%s: %d\n", argv[1], fixed ? " fixed" : "", result);
  return 0;
}
