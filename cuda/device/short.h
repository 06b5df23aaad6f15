// SPDX-License-Identifier: MIT
// expf and tanhf in few instructions on the special function unit, as nvcc compiles them, within
// 2 ulp. heddle/device.h selects them for Volta and later; libclc's, whose divisions take several
// times as long, remain on older targets, among them that of the workloads.
static inline float power_of_two(int exponent) {
  uint bits = (uint)(exponent + 127) << 23;
  return __builtin_bit_cast(float, bits);
}

// 2^(t + f) = e^a with |f| <= 1/2; 2^t in two factors, for results that are subnormal.
EXPORT float __nv_short_expf(float a) {
  float t = __builtin_rintf(a * 0x1.715476p+0f);
  float f = __builtin_fmaf(a, 0x1.4ae0cp-26f, __builtin_fmaf(a, 0x1.715476p+0f, -t));
  int exponent = __nvvm_f2i_rz(t), half = exponent >> 1;
  float e = __nvvm_ex2_approx_ftz_f(f) * power_of_two(half) * power_of_two(exponent - half);
  return a > 89.0f ? __builtin_inff() : a < -104.0f ? 0 : e;
}

// A polynomial in a^2 (interpolated at Chebyshev's nodes, 0.1 ulp off) where 1 - 2 / (e^2a + 1)
// would lose digits.
EXPORT float __nv_short_tanhf(float a) {
  float size = __builtin_fabsf(a), s = a * a, p = -0x1.acc5a4p-8f;
  p = __builtin_fmaf(p, s, 0x1.5c886p-6f);
  p = __builtin_fmaf(p, s, -0x1.b99384p-5f);
  p = __builtin_fmaf(p, s, 0x1.110fcp-3f);
  p = __builtin_fmaf(p, s, -0x1.555554p-2f);
  float e = __nvvm_ex2_approx_ftz_f(size * 0x1.715476p+1f);
  float inverse;
  __asm__("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(e + 1));
  float large = __builtin_fmaf(-2, inverse, 1);
  return __builtin_copysignf(size < 0.55f ? __builtin_fmaf(p * s, size, size) : large, a);
}
