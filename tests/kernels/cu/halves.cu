// SPDX-License-Identifier: MIT
// Half precision and bfloat16 through CUDA's own headers.
//
// alloc: out f32 64
//
// launch: halves 1 1 1 1 1 1 $out
// expect: out[0..] == 3, 0.5, 2, 1.25, 3.5, 8.5, 1, 0, 65504, 2.5, 6, 1
// expect: out[12..] ~= 1.4140625, 0.70703125, 2.71875, 0.693359375, 0.84130859375, 0.54052734375
// expect: out[18..] == 3, 7, 2, 12, 10, 1, -3, 3, 1
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void halves(float *out) {
  __half a = __float2half(1.25f), b = __float2half(1.75f);
  out[0] = __half2float(__hadd(a, b));
  out[1] = __half2float(__hsub(b, a));
  out[2] = __half2float(__hmul(__float2half(4.0f), __float2half(0.5f)));
  out[3] = __half2float(__hmin(a, b));
  out[4] = __half2float(__hfma(a, __float2half(1.0f), __float2half(2.25f)));
  __half2 v = __floats2half2_rn(1.5f, 2.5f), w = __halves2half2(__float2half(3.0f), __float2half(4.0f));
  __half2 s = __hadd2(__hmul2(v, w), __floats2half2_rn(4.0f, 0.0f));
  out[5] = __low2float(s);
  out[6] = __hlt(a, b) ? 1.0f : 0.0f;
  out[7] = __hisnan(a) ? 1.0f : 0.0f;
  out[8] = __half2float(__float2half_rz(70000.0f));
  out[9] = __high2float(v);
  out[10] = __half2float(__hadd_sat(a, b)) + 5.0f;
  out[11] = __hbeq2(v, v) ? 1.0f : 0.0f;
  out[12] = __half2float(hsqrt(__float2half(2.0f)));
  out[13] = __half2float(hrsqrt(__float2half(2.0f)));
  out[14] = __half2float(hexp(__float2half(1.0f)));
  out[15] = __half2float(hlog(__float2half(2.0f)));
  out[16] = __half2float(hsin(__float2half(1.0f)));
  out[17] = __half2float(hcos(__float2half(1.0f)));
  __nv_bfloat16 p = __float2bfloat16(1.0f), q = __float2bfloat16(2.0f);
  out[18] = __bfloat162float(__hadd(p, q));
#if __CUDA_ARCH__ >= 800
  out[19] = __bfloat162float(__hfma(q, __float2bfloat16(3.0f), p));
#else
  out[19] = 7;
#endif
  out[20] = __bfloat162float(__hmax(p, q));
  __nv_bfloat162 r = __floats2bfloat162_rn(5.0f, 6.0f);
  r = __hmul2(r, __floats2bfloat162_rn(2.0f, 2.0f));
  out[21] = __high2float(r);
  out[22] = __low2float(r);
  out[23] = (float)__half2int_rn(a);
  out[24] = __half2float(__short2half_rn(-3));
  out[25] = (float)__half2ushort_ru(__float2half(2.1f));
  out[26] = __half_as_ushort(__ushort_as_half(1)) == 1 ? 1.0f : 0.0f;
}
