// SPDX-License-Identifier: MIT
// Arithmetic and conversions with a stated rounding, one PTX instruction each.
// CUDA says rd and ru (down, up) where PTX says rm and rp.

#define ROUNDED(rd, rm)                                         \
  EXPORT float __nv_fadd_##rd(float a, float b) {               \
    return __nvvm_add_##rm##_f(a, b);                           \
  }                                                             \
  EXPORT float __nv_fsub_##rd(float a, float b) {               \
    return __nvvm_add_##rm##_f(a, -b);                          \
  }                                                             \
  EXPORT float __nv_fmul_##rd(float a, float b) {               \
    return __nvvm_mul_##rm##_f(a, b);                           \
  }                                                             \
  EXPORT float __nv_fdiv_##rd(float a, float b) {               \
    return __nvvm_div_##rm##_f(a, b);                           \
  }                                                             \
  EXPORT float __nv_frcp_##rd(float a) {                        \
    return __nvvm_rcp_##rm##_f(a);                              \
  }                                                             \
  EXPORT float __nv_fsqrt_##rd(float a) {                       \
    return __nvvm_sqrt_##rm##_f(a);                             \
  }                                                             \
  EXPORT float __nv_fmaf_##rd(float a, float b, float c) {      \
    return __nvvm_fma_##rm##_f(a, b, c);                        \
  }                                                             \
  EXPORT float __nv_fmaf_ieee_##rd(float a, float b, float c) { \
    return __nvvm_fma_##rm##_f(a, b, c);                        \
  }                                                             \
  EXPORT double __nv_dadd_##rd(double a, double b) {            \
    return __nvvm_add_##rm##_d(a, b);                           \
  }                                                             \
  EXPORT double __nv_dsub_##rd(double a, double b) {            \
    return __nvvm_add_##rm##_d(a, -b);                          \
  }                                                             \
  EXPORT double __nv_dmul_##rd(double a, double b) {            \
    return __nvvm_mul_##rm##_d(a, b);                           \
  }                                                             \
  EXPORT double __nv_ddiv_##rd(double a, double b) {            \
    return __nvvm_div_##rm##_d(a, b);                           \
  }                                                             \
  EXPORT double __nv_drcp_##rd(double a) {                      \
    return __nvvm_rcp_##rm##_d(a);                              \
  }                                                             \
  EXPORT double __nv_dsqrt_##rd(double a) {                     \
    return __nvvm_sqrt_##rm##_d(a);                             \
  }                                                             \
  EXPORT double __nv_fma_##rd(double a, double b, double c) {   \
    return __nvvm_fma_##rm##_d(a, b, c);                        \
  }                                                             \
  EXPORT float __nv_double2float_##rd(double a) {               \
    return __nvvm_d2f_##rm(a);                                  \
  }                                                             \
  EXPORT int __nv_double2int_##rd(double a) {                   \
    return __nvvm_d2i_##rm(a);                                  \
  }                                                             \
  EXPORT uint __nv_double2uint_##rd(double a) {                 \
    return __nvvm_d2ui_##rm(a);                                 \
  }                                                             \
  EXPORT long long __nv_double2ll_##rd(double a) {              \
    return __nvvm_d2ll_##rm(a);                                 \
  }                                                             \
  EXPORT ull __nv_double2ull_##rd(double a) {                   \
    return __nvvm_d2ull_##rm(a);                                \
  }                                                             \
  EXPORT int __nv_float2int_##rd(float a) {                     \
    return __nvvm_f2i_##rm(a);                                  \
  }                                                             \
  EXPORT uint __nv_float2uint_##rd(float a) {                   \
    return __nvvm_f2ui_##rm(a);                                 \
  }                                                             \
  EXPORT long long __nv_float2ll_##rd(float a) {                \
    return __nvvm_f2ll_##rm(a);                                 \
  }                                                             \
  EXPORT ull __nv_float2ull_##rd(float a) {                     \
    return __nvvm_f2ull_##rm(a);                                \
  }                                                             \
  EXPORT float __nv_int2float_##rd(int a) {                     \
    return __nvvm_i2f_##rm(a);                                  \
  }                                                             \
  EXPORT float __nv_uint2float_##rd(uint a) {                   \
    return __nvvm_ui2f_##rm(a);                                 \
  }                                                             \
  EXPORT float __nv_ll2float_##rd(long long a) {                \
    return __nvvm_ll2f_##rm(a);                                 \
  }                                                             \
  EXPORT float __nv_ull2float_##rd(ull a) {                     \
    return __nvvm_ull2f_##rm(a);                                \
  }                                                             \
  EXPORT double __nv_ll2double_##rd(long long a) {              \
    return __nvvm_ll2d_##rm(a);                                 \
  }                                                             \
  EXPORT double __nv_ull2double_##rd(ull a) {                   \
    return __nvvm_ull2d_##rm(a);                                \
  }

ROUNDED(rn, rn)
ROUNDED(rz, rz)
ROUNDED(rd, rm)
ROUNDED(ru, rp)

EXPORT double __nv_int2double_rn(int a) {
  return a;
}
EXPORT double __nv_uint2double_rn(uint a) {
  return a;
}
EXPORT float __nv_frsqrt_rn(float a) {
  return (float)(1.0 / __nvvm_sqrt_rn_d(a));
}
EXPORT float __nv_saturatef(float a) {
  return __nvvm_saturate_f(a);
}
EXPORT double __nv_rcp64h(double a) {
  return __nvvm_rcp_approx_ftz_d(a);
}

EXPORT ull __nv_double_as_longlong(double a) {
  return bits_of(a);
}
EXPORT double __nv_longlong_as_double(long long a) {
  return double_of((ull)a);
}
EXPORT int __nv_double2hiint(double a) {
  return (int)(bits_of(a) >> 32);
}
EXPORT int __nv_double2loint(double a) {
  return (int)bits_of(a);
}
EXPORT double __nv_hiloint2double(int high, int low) {
  return double_of((ull)(uint)high << 32 | (uint)low);
}
EXPORT int __nv_float_as_int(float a) {
  return __nvvm_bitcast_f2i(a);
}
EXPORT uint __nv_float_as_uint(float a) {
  return (uint)__nvvm_bitcast_f2i(a);
}
EXPORT float __nv_int_as_float(int a) {
  return __nvvm_bitcast_i2f(a);
}
EXPORT float __nv_uint_as_float(uint a) {
  return __nvvm_bitcast_i2f((int)a);
}

EXPORT unsigned short __nv_float2half_rn(float a) {
  unsigned short half;
  __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(a));
  return half;
}
EXPORT float __nv_half2float(unsigned short half) {
  float a;
  __asm__("cvt.f32.f16 %0, %1;" : "=f"(a) : "h"(half));
  return a;
}
