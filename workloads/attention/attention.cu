// SPDX-License-Identifier: MIT
// Attention, O = softmax(Q K' / 8) V, after FlashAttention (Dao et al., NeurIPS 2022): a CTA has 64 queries of a
// head and goes through the keys by tiles of 64, with the largest score and the sum of each query
// kept up to date, so that no score is ever stored. Heads of 64 halves. Tiles of keys and values have two buffers,
// filled by cp.async; for Hopper (`--stage tma`) 128 queries of two warp groups, tiles of 128 by bulk copies.
// test h100: --stage tma --length 384 --heads 2
#include "attention/hopper.h"
#include "attention/softmax.h"
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/tensor_core.h"
#include "common/timer.h"

enum { TILE = 64, THREADS = 128, CHUNK = 8 };

struct KeyValue {
  __half key[TILE][HEAD], value[TILE][HEAD];  // rows of 128 bytes, swizzled by chunks of 16
};

__device__ inline int swizzled(int row, int chunk) { return (chunk ^ (row & 7)) * CHUNK; }

__device__ inline void fetch_rows(__half to[TILE][HEAD], const __half *from, int thread) {
#pragma unroll
  for (int i = 0; i < 4; i++) {
    int row = thread / 8 + i * 16, chunk = thread % 8;
    copy_async(shared_address(&to[row][swizzled(row, chunk)]), &from[row * HEAD + chunk * CHUNK]);
  }
}

__global__ void __launch_bounds__(THREADS)
    attention(float *out, const __half *q, const __half *k, const __half *v, int length) {
  __shared__ __align__(128) KeyValue buffers[2];
  __shared__ __align__(128) __half queries[TILE][HEAD];
  int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  size_t head = (size_t)blockIdx.y * length * HEAD;
  fetch_rows(queries, q + head + (size_t)blockIdx.x * TILE * HEAD, thread);
  fetch_rows(buffers[0].key, k + head, thread);
  fetch_rows(buffers[0].value, v + head, thread);
  copy_commit();

  uint32_t a[4][4];
  float sum[8][4], most[2] = {-1e30f, -1e30f}, total[2] = {0, 0};
#pragma unroll
  for (int j = 0; j < 8; j++)
#pragma unroll
    for (int e = 0; e < 4; e++) sum[j][e] = 0;

  int tiles = length / TILE;
  for (int t = 0; t < tiles; t++) {
    KeyValue *now = &buffers[t & 1], *next = &buffers[1 - (t & 1)];
    if (t + 1 < tiles) {
      fetch_rows(next->key, k + head + (size_t)(t + 1) * TILE * HEAD, thread);
      fetch_rows(next->value, v + head + (size_t)(t + 1) * TILE * HEAD, thread);
    }
    copy_commit();
    copy_wait<1>();
    __syncthreads();
    if (t == 0)
#pragma unroll
      for (int s = 0; s < 4; s++) {
        int row = warp * 16 + lane % 16;
        load_matrices(a[s], shared_address(&queries[row][swizzled(row, s * 2 + lane / 16)]));
      }

    float score[8][4];
#pragma unroll
    for (int j = 0; j < 8; j++)
#pragma unroll
      for (int e = 0; e < 4; e++) score[j][e] = 0;
#pragma unroll
    for (int s = 0; s < 4; s++)
#pragma unroll
      for (int j = 0; j < 4; j++) {
        uint32_t b[4];
        int row = j * 16 + lane % 8 + lane / 16 * 8, chunk = s * 2 + lane / 8 % 2;
        load_matrices(b, shared_address(&now->key[row][swizzled(row, chunk)]));
        multiply_add(score[2 * j], a[s], b[0], b[1]);
        multiply_add(score[2 * j + 1], a[s], b[2], b[3]);
      }

#pragma unroll
    for (int half = 0; half < 2; half++)
      weigh<8>(&score[0][0], &sum[0][0], half, &most[half], &total[half]);

#pragma unroll
    for (int s = 0; s < 4; s++) {
      uint32_t p[4] = {pack(score[2 * s][0], score[2 * s][1]), pack(score[2 * s][2], score[2 * s][3]),
                       pack(score[2 * s + 1][0], score[2 * s + 1][1]),
                       pack(score[2 * s + 1][2], score[2 * s + 1][3])};
#pragma unroll
      for (int j = 0; j < 4; j++) {
        uint32_t b[4];
        int row = s * 16 + lane % 16, chunk = j * 2 + lane / 16;
        load_matrices_transposed(b, shared_address(&now->value[row][swizzled(row, chunk)]));
        multiply_add(sum[2 * j], p, b[0], b[1]);
        multiply_add(sum[2 * j + 1], p, b[2], b[3]);
      }
    }
    __syncthreads();
  }

  float *to = out + head + ((size_t)blockIdx.x * TILE + warp * 16 + lane / 4) * HEAD + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < 8; j++) {
    *(float2 *)(to + j * 8) = make_float2(sum[j][0] / total[0], sum[j][1] / total[0]);
    *(float2 *)(to + 8 * HEAD + j * 8) = make_float2(sum[j][2] / total[1], sum[j][3] / total[1]);
  }
}

static std::vector<__half> halves(Random &random, size_t count) {
  std::vector<float> floats = random.floats(count, -1, 1);
  std::vector<__half> values(count);
  for (size_t i = 0; i < count; i++) values[i] = __float2half(floats[i]);
  return values;
}

static void attend(const std::vector<__half> &q, const std::vector<__half> &k,
                   const std::vector<__half> &v, size_t head, int query, int length,
                   std::vector<float> &out) {
  std::vector<double> score(length);
  double most = -1e30, total = 0, sum[HEAD] = {0};
  for (int i = 0; i < length; i++) {
    double dot = 0;
    for (int d = 0; d < HEAD; d++)
      dot += (double)__half2float(q[head + (size_t)query * HEAD + d]) *
             __half2float(k[head + (size_t)i * HEAD + d]);
    score[i] = dot / 8;
    most = score[i] > most ? score[i] : most;
  }
  for (int i = 0; i < length; i++) {
    double weight = exp(score[i] - most);
    total += weight;
    for (int d = 0; d < HEAD; d++) sum[d] += weight * __half2float(v[head + (size_t)i * HEAD + d]);
  }
  for (int d = 0; d < HEAD; d++) out.push_back((float)(sum[d] / total));
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "attention in one kernel, on tensor cores");
  int heads = (int)arguments.number("heads", {1, 8, 16}, 1, 65535, "heads, of 64 elements");
  int length = (int)arguments.multiple("length", TILE, {128, 512, 2048}, TILE, 65536, "queries and keys");
  bool is_tma = arguments.choice("stage", {"pipeline", "tma"}, "tma: warp groups and bulk copies, for Hopper");
  arguments.done();
  if (is_tma && length % WIDE) fail(EXIT_INPUT, "--stage tma: --length in multiples of %d is wanted", WIDE);

  Random random(arguments.seed());
  size_t count = (size_t)heads * length * HEAD;
  std::vector<__half> q = halves(random, count), k = halves(random, count), v = halves(random, count);
  DeviceArray<__half> device_q(q), device_k(k), device_v(v);
  DeviceArray<float> device_out(count);
  std::vector<CUtensorMap> maps;
  if (is_tma)
    for (const __half *values : {(const __half *)device_q, (const __half *)device_k, (const __half *)device_v})
      maps.push_back(map_of(values, heads * length, HEAD, WIDE));
  DeviceArray<CUtensorMap> device_maps(maps);
  Timer timer;
  if (is_tma)
    launch_tma(device_out, device_maps, heads, length);
  else
    attention<<<dim3(length / TILE, heads), THREADS>>>(device_out, device_q, device_k, device_v, length);
  timer.stop("attention");

  std::vector<float> out = device_out.get(), got, wanted;
  int step = length > 256 ? length / 16 + 1 : 1;
  for (int h = 0; h < heads; h++)
    for (int i = 0; i < length; i += step) {
      size_t head = (size_t)h * length * HEAD;
      attend(q, k, v, head, i, length, wanted);
      for (int d = 0; d < HEAD; d++) got.push_back(out[head + (size_t)i * HEAD + d]);
    }
  Comparison comparison;
  comparison.near("O", got, wanted, 2e-3);  // weights are rounded to halves
  return comparison.verdict();
}
