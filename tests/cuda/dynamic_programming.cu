// SPDX-License-Identifier: MIT
// The functions of dynamic programming against plain arithmetic, over pairs of awkward values;
// on the device and on the host.
// nvcc: -arch=sm_80
#include <algorithm>

#include "check.h"

enum { WORDS = 8, RESULTS = 34 };

__host__ __device__ void compute(unsigned x, unsigned y, unsigned z, unsigned *r) {
  int a = (int)x, b = (int)y, c = (int)z;
  bool p[8] = {};
  *r++ = __vimax3_s32(a, b, c), *r++ = __vimin3_s32(a, b, c);
  *r++ = __vimax3_u32(x, y, z), *r++ = __vimin3_u32(x, y, z);
  *r++ = __viaddmax_s32(a, b, c), *r++ = __viaddmin_s32(a, b, c);
  *r++ = __viaddmax_u32(x, y, z), *r++ = __viaddmin_u32(x, y, z);
  *r++ = __vimax_s32_relu(a, b), *r++ = __vimin_s32_relu(a, b);
  *r++ = __vimax3_s32_relu(a, b, c), *r++ = __viaddmin_s32_relu(a, b, c);
  *r++ = __vimax3_s16x2(x, y, z), *r++ = __vimin3_s16x2(x, y, z);
  *r++ = __vimax3_u16x2(x, y, z), *r++ = __vimin3_u16x2(x, y, z);
  *r++ = __viaddmax_s16x2(x, y, z), *r++ = __viaddmin_s16x2(x, y, z);
  *r++ = __viaddmax_u16x2(x, y, z), *r++ = __viaddmin_u16x2(x, y, z);
  *r++ = __vimax_s16x2_relu(x, y), *r++ = __vimin3_s16x2_relu(x, y, z);
  *r++ = __viaddmax_s16x2_relu(x, y, z);
  *r++ = __vibmax_s32(a, b, p), *r++ = __vibmin_u32(x, y, p + 1);
  *r++ = __vibmax_s16x2(x, y, p + 2, p + 3), *r++ = __vibmin_u16x2(x, y, p + 4, p + 5);
  for (int i = 0; i < 6; i++) *r++ = p[i];
}

template <class T>
static T of(unsigned word, int i) {
  return (T)(unsigned short)(word >> 16 * i);
}

// The same with wider numbers.
static void expect(unsigned x, unsigned y, unsigned z, unsigned *r) {
  int a = (int)x, b = (int)y, c = (int)z, s = (int)(x + y);
  unsigned h[2][11];
  bool p[6];
  *r++ = std::max({a, b, c}), *r++ = std::min({a, b, c});
  *r++ = std::max({x, y, z}), *r++ = std::min({x, y, z});
  *r++ = std::max(s, c), *r++ = std::min(s, c);
  *r++ = std::max(x + y, z), *r++ = std::min(x + y, z);
  *r++ = std::max({a, b, 0}), *r++ = std::max(std::min(a, b), 0);
  *r++ = std::max({a, b, c, 0}), *r++ = std::max(std::min(s, c), 0);
  for (int i = 0; i < 2; i++) {
    short sa = of<short>(x, i), sb = of<short>(y, i), sc = of<short>(z, i), ss = (short)(sa + sb);
    unsigned short ua = of<unsigned short>(x, i), ub = of<unsigned short>(y, i),
                   uc = of<unsigned short>(z, i), us = (unsigned short)(ua + ub);
    unsigned all[] = {(unsigned)std::max({sa, sb, sc}), (unsigned)std::min({sa, sb, sc}),
                      std::max({ua, ub, uc}), std::min({ua, ub, uc}),
                      (unsigned)std::max(ss, sc), (unsigned)std::min(ss, sc), std::max(us, uc),
                      std::min(us, uc), (unsigned)std::max({sa, sb, (short)0}),
                      (unsigned)std::max(std::min({sa, sb, sc}), (short)0),
                      (unsigned)std::max({ss, sc, (short)0})};
    for (int k = 0; k < 11; k++) h[i][k] = all[k] & 0xffff;
    p[3 - i] = sa >= sb, p[5 - i] = ua <= ub;
  }
  for (int k = 0; k < 11; k++) *r++ = h[0][k] | h[1][k] << 16;
  *r++ = std::max(a, b), *r++ = std::min(x, y);
  p[0] = a >= b, p[1] = x <= y;
  unsigned maxima = 0, minima = 0;
  for (int i = 0; i < 2; i++) {
    maxima |= (unsigned)(unsigned short)std::max(of<short>(x, i), of<short>(y, i)) << 16 * i;
    minima |= (unsigned)std::min(of<unsigned short>(x, i), of<unsigned short>(y, i)) << 16 * i;
  }
  *r++ = maxima, *r++ = minima;
  for (int i = 0; i < 6; i++) *r++ = p[i];
}

__constant__ unsigned words[WORDS];

__global__ void run(unsigned *results) {
  compute(words[blockIdx.x], words[blockIdx.y], words[threadIdx.x],
          results + ((blockIdx.y * WORDS + blockIdx.x) * WORDS + threadIdx.x) * RESULTS);
}

int main() {
  static const unsigned values[WORDS] = {0,          1,          0xffffffff, 0x80007fff,
                                         0x7fff8000, 0x80000000, 0x7fffffff, 0x1234fedc};
  unsigned *found, wanted[RESULTS] = {}, host[RESULTS] = {};
  CHECK(cudaMemcpyToSymbol(words, values, sizeof values));
  CHECK(cudaMallocManaged(&found, WORDS * WORDS * WORDS * sizeof wanted));
  run<<<dim3(WORDS, WORDS), WORDS>>>(found);
  CHECK(cudaDeviceSynchronize());
  for (int y = 0; y < WORDS; y++)
    for (int x = 0; x < WORDS; x++)
      for (int z = 0; z < WORDS; z++) {
        const unsigned *results = found + ((y * WORDS + x) * WORDS + z) * RESULTS;
        expect(values[x], values[y], values[z], wanted);
        compute(values[x], values[y], values[z], host);
        for (int i = 0; i < 33; i++) {
          EXPECT(results[i] == wanted[i]);
          EXPECT(host[i] == wanted[i]);
        }
      }
  return finish("dynamic_programming");
}
