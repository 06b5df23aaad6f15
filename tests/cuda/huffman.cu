// SPDX-License-Identifier: MIT
// Codes of different lengths, packed into words with atomics in shared memory,
// and a histogram; the host unpacks them again.
#include "check.h"
#define THREADS 256
typedef unsigned int uint;
typedef unsigned char byte;
__global__ void pack_codes(const uint *data, const uint *cw_g, const uint *len_g, uint *out,
                           uint *outlen) {
  extern __shared__ uint sm[];
  uint *cw = sm, *len = sm + 256, *as = sm + 512;
  __shared__ uint pos[THREADS + 1];
  int k = threadIdx.x, bid = blockIdx.x * THREADS;
  cw[k] = cw_g[k];
  len[k] = len_g[k];
  for (int i = k; i < THREADS * 2; i += THREADS) as[i] = 0;
  __syncthreads();
  uint v = data[bid + k];
  unsigned long long c = 0;
  uint n = 0;
  for (int i = 0; i < 4; i++) {
    byte s = (byte)(v >> (24 - 8 * i));
    c = (c << len[s]) | cw[s];
    n += len[s];
  }
  pos[k] = n;
  __syncthreads();
  for (int d = 1; d < THREADS; d <<= 1) {
    uint t = k >= d ? pos[k - d] : 0;
    __syncthreads();
    pos[k] += t;
    __syncthreads();
  }
  uint at = k ? pos[k - 1] : 0;
  uint kc = at / 32, st = at % 32;
  while (n > 0) {
    uint room = 32 - st, take = n < room ? n : room;
    uint part = (uint)((c >> (n - take)) & ((1ull << take) - 1));
    atomicOr(&as[kc], part << (room - take));
    n -= take;
    st = 0;
    kc++;
  }
  __syncthreads();
  uint total = pos[THREADS - 1];
  if (k == 0) outlen[blockIdx.x] = total;
  for (uint i = k; i < (total + 31) / 32; i += THREADS) out[blockIdx.x * THREADS * 2 + i] = as[i];
}
__global__ void count_bytes(const byte *d, uint *h, int n) {
  __shared__ uint t[256];
  t[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&t[d[i]], 1u);
  __syncthreads();
  atomicAdd(&h[threadIdx.x], t[threadIdx.x]);
}
int main() {
  const int W = 4 * THREADS;
  uint *d, *cw, *len, *o, *ol, *h;
  CHECK(cudaMallocManaged(&d, W * 4));
  CHECK(cudaMallocManaged(&cw, 1024));
  CHECK(cudaMallocManaged(&len, 1024));
  CHECK(cudaMallocManaged(&o, W * 8));
  CHECK(cudaMallocManaged(&ol, 64));
  CHECK(cudaMallocManaged(&h, 1024));
  memset(h, 0, 1024);
  byte *b = (byte *)d;
  for (int i = 0; i < 4 * W; i++) b[i] = (i * i) % 16;
  for (int i = 0; i < 256; i++) {
    len[i] = i < 15 ? i + 1 : 15;
    cw[i] = i < 15 ? 2 * ((1u << i) - 1) : (1u << 15) - 1;
  }
  count_bytes<<<4, 256>>>(b, h, 4 * W);
  pack_codes<<<4, THREADS, 1024 * 4>>>(d, cw, len, o, ol);
  CHECK(cudaDeviceSynchronize());
  uint ref[256] = {};
  for (int i = 0; i < 4 * W; i++) ref[b[i]]++;
  EXPECT(!memcmp(ref, h, 1024));
  for (int blk = 0; blk < 4; blk++) {
    uint bit = 0;
    for (int i = 0; i < THREADS; i++)
      for (int s = 3; s >= 0; s--) {
        byte want = b[(blk * THREADS + i) * 4 + s], got = 0;
        uint n = 0;
        while (n < 15) {
          uint w = o[blk * THREADS * 2 + bit / 32] >> (31 - bit % 32) & 1;
          bit++;
          n++;
          if (!w) break;
          got++;
        }
        if (want != got) {
          EXPECT(0);
          blk = 4;
          i = THREADS;
          break;
        }
      }
    if (blk < 4) EXPECT(bit == ol[blk]);
  }
  return finish("huffman");
}
