// SPDX-License-Identifier: MIT
// Atomics as CUDA spells them, of every type, and fences.
//
// alloc: cells u64 32
// alloc: out u32 64
//
// run: all of them
// launch: words 4 1 1 64 1 1 $cells
// expect: cells.s32[0..] == 256, -256, 63, 0, 63, 255, 0xff, 0
// expect: cells.f32[8] == 128
// expect: cells.f64[5] == 64
// expect: cells[6] == 256 * 0x100000001
// expect: cells.u32[14] == 256 % 7
// expect: cells.f32[15] == 63
// expect: cells.u16[32] == 256
// expect: cells.u32[17] == 256
//
// run: the last CTA to finish sees all results
// launch: last_one 8 1 1 32 1 1 $out
// expect: out[0] == 8 * 32 * 3
__device__ float float_max(float *at, float value) {
  int *bits = (int *)at, old = *bits;
  while (__int_as_float(old) < value) {
    int assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(value));
    if (old == assumed) break;
  }
  return __int_as_float(old);
}

extern "C" __global__ void words(unsigned long long *cells) {
  int *s = (int *)cells, i = threadIdx.x;
  unsigned *u = (unsigned *)cells;
  atomicAdd(&s[0], 1);
  atomicSub(&s[1], 1);
  atomicMax(&s[2], i);
  atomicMin(&s[3], i);
  atomicMax(&u[4], (unsigned)i);
  atomicOr(&u[5], 255u);
  atomicXor(&u[6], i == 0 && blockIdx.x == 0 ? 255u : 0u);
  atomicAnd(&u[7], 1u);
  atomicAdd((float *)&u[8], 0.5f);
  atomicAdd((double *)&cells[5], 0.25);
  atomicAdd(&cells[6], 0x100000001ull);
  atomicInc(&u[14], 6);
  float_max((float *)&u[15], (float)i);
  unsigned short *h = (unsigned short *)cells + 32, old = *h, assumed;
  do {
    assumed = old;
    old = atomicCAS(h, assumed, (unsigned short)(assumed + 1));
  } while (old != assumed);
  atomicAdd_block(&u[17], 1u);
}

__device__ unsigned finished;

extern "C" __global__ void last_one(unsigned *out) {
  __shared__ bool is_last;
  atomicAdd(&out[1 + blockIdx.x], 3);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!is_last || threadIdx.x) return;
  unsigned sum = 0;
  for (unsigned b = 0; b < gridDim.x; b++) sum += ((volatile unsigned *)out)[1 + b];
  out[0] = sum;
}
