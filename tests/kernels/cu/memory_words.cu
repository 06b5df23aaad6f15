// SPDX-License-Identifier: MIT
// Shared memory static and dynamic, constant memory, caching hints, volatile,
// bit fields, packed structures, 128-bit loads, restrict, device variables.
//
// alloc: in s32 256 = i
// alloc: out s32 256
//
// run: tiles of dynamic shared memory
// launch: dynamic 2 1 1 64 1 1 $in $out shared:512
// expect: out[0..127] == (i / 64 * 64 + 63 - i % 64) + (i / 64 * 64 + 63 - i % 64)
//
// run: hints
// launch: hints 1 1 1 32 1 1 $in $out
// expect: out[0..31] == i * 5
//
// run: bit fields and bytes
// launch: bits 1 1 1 32 1 1 $out
// expect: out[0..31] == (i & 7) + ((i * 3) & 31) * 100 + (i % 2 ? -1 : 0) * 10000
//
// run: wide vectors
// launch: wide 1 1 1 32 1 1 $in $out
// expect: out[0..127] == i + 1
//
// run: device variables with constructors and tables
// launch: tables 1 1 1 32 1 1 $out
// expect: out[0..31] == ((i % 5 + 1) * (i % 5 + 1)) * 2 + 1
__constant__ int squares[5] = {1, 4, 9, 16, 25};
__device__ int add_one = 1;
__device__ const int *const table[2] = {squares, squares};

extern "C" __global__ void dynamic(const int *in, int *out) {
  extern __shared__ int tile[];
  __shared__ int twice[64];
  int i = threadIdx.x, at = blockIdx.x * 64;
  tile[i] = in[at + i];
  tile[64 + i] = 0;
  twice[i] = in[at + i];
  __syncthreads();
  out[at + i] = tile[63 - i] + twice[63 - i] + tile[127 - i];
}

extern "C" __global__ void hints(const int *__restrict__ in, int *out) {
  int i = threadIdx.x;
  int a = __ldg(in + i) + __ldcg(in + i) + __ldcs(in + i) + __ldca(in + i) + __ldcv(in + i);
  __stcs(out + i, a);
  __stwt(out + i, __ldlu(out + i));
}

struct Packed {
  unsigned low : 3;
  signed flag : 2;
  unsigned middle : 5;
} __attribute__((packed));

extern "C" __global__ void bits(int *out) {
  int i = threadIdx.x;
  Packed p;
  p.low = i;
  p.flag = -(i & 1);
  p.middle = i * 3;
  volatile Packed *v = &p;
  out[i] = v->low + v->middle * 100 + v->flag * 10000;
}

extern "C" __global__ void wide(const int4 *in, int4 *out) {
  int i = threadIdx.x;
  int4 v = in[i];
  out[i] = make_int4(v.x + 1, v.y + 1, v.z + 1, v.w + 1);
}

extern "C" __global__ void tables(int *out) {
  int i = threadIdx.x;
  out[i] = table[i % 2][i % 5] + squares[i % 5] + add_one;
}
