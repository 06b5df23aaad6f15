// SPDX-License-Identifier: MIT
// Arithmetic on vector types, under the names that sample programs use: operators
// element by element, dot, length, normalize, lerp, clamp, cross.
#ifndef HEDDLE_HELPER_MATH_H
#define HEDDLE_HELPER_MATH_H

#include "cuda_runtime.h"

#define HEDDLE_BOTH static __inline__ __host__ __device__ __attribute__((unused))

#define HEDDLE_OPERATOR_2(V, S, op)            \
  HEDDLE_BOTH V operator op(V a, V b) {        \
    return make_##V(a.x op b.x, a.y op b.y);   \
  }                                            \
  HEDDLE_BOTH V operator op(V a, S b) {        \
    return make_##V(a.x op b, a.y op b);       \
  }                                            \
  HEDDLE_BOTH V operator op(S a, V b) {        \
    return make_##V(a op b.x, a op b.y);       \
  }                                            \
  HEDDLE_BOTH void operator op##=(V &a, V b) { \
    a = a op b;                                \
  }                                            \
  HEDDLE_BOTH void operator op##=(V &a, S b) { \
    a = a op b;                                \
  }
#define HEDDLE_OPERATOR_3(V, S, op)                      \
  HEDDLE_BOTH V operator op(V a, V b) {                  \
    return make_##V(a.x op b.x, a.y op b.y, a.z op b.z); \
  }                                                      \
  HEDDLE_BOTH V operator op(V a, S b) {                  \
    return make_##V(a.x op b, a.y op b, a.z op b);       \
  }                                                      \
  HEDDLE_BOTH V operator op(S a, V b) {                  \
    return make_##V(a op b.x, a op b.y, a op b.z);       \
  }                                                      \
  HEDDLE_BOTH void operator op##=(V &a, V b) {           \
    a = a op b;                                          \
  }                                                      \
  HEDDLE_BOTH void operator op##=(V &a, S b) {           \
    a = a op b;                                          \
  }
#define HEDDLE_OPERATOR_4(V, S, op)                                  \
  HEDDLE_BOTH V operator op(V a, V b) {                              \
    return make_##V(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w); \
  }                                                                  \
  HEDDLE_BOTH V operator op(V a, S b) {                              \
    return make_##V(a.x op b, a.y op b, a.z op b, a.w op b);         \
  }                                                                  \
  HEDDLE_BOTH V operator op(S a, V b) {                              \
    return make_##V(a op b.x, a op b.y, a op b.z, a op b.w);         \
  }                                                                  \
  HEDDLE_BOTH void operator op##=(V &a, V b) {                       \
    a = a op b;                                                      \
  }                                                                  \
  HEDDLE_BOTH void operator op##=(V &a, S b) {                       \
    a = a op b;                                                      \
  }
#define HEDDLE_INTEGERS(name, S)                                                \
  HEDDLE_OPERATOR_2(name##2, S, +)                                              \
  HEDDLE_OPERATOR_2(name##2, S, -) HEDDLE_OPERATOR_2(name##2, S, *)             \
      HEDDLE_OPERATOR_3(name##3, S, +) HEDDLE_OPERATOR_3(name##3, S, -)         \
          HEDDLE_OPERATOR_3(name##3, S, *) HEDDLE_OPERATOR_4(name##4, S, +)     \
              HEDDLE_OPERATOR_4(name##4, S, -) HEDDLE_OPERATOR_4(name##4, S, *) \
                  HEDDLE_BOTH name##2 make_##name##2(S s) {                     \
    return make_##name##2(s, s);                                                \
  }                                                                             \
  HEDDLE_BOTH name##3 make_##name##3(S s) {                                     \
    return make_##name##3(s, s, s);                                             \
  }                                                                             \
  HEDDLE_BOTH name##4 make_##name##4(S s) {                                     \
    return make_##name##4(s, s, s, s);                                          \
  }
HEDDLE_INTEGERS(int, int)
HEDDLE_INTEGERS(uint, unsigned int)
HEDDLE_INTEGERS(float, float)
HEDDLE_OPERATOR_2(float2, float, /)
HEDDLE_OPERATOR_3(float3, float, /)
HEDDLE_OPERATOR_4(float4, float, /)
#undef HEDDLE_INTEGERS
#undef HEDDLE_OPERATOR_2
#undef HEDDLE_OPERATOR_3
#undef HEDDLE_OPERATOR_4

HEDDLE_BOTH float2 operator-(float2 a) {
  return make_float2(-a.x, -a.y);
}
HEDDLE_BOTH float3 operator-(float3 a) {
  return make_float3(-a.x, -a.y, -a.z);
}
HEDDLE_BOTH float4 operator-(float4 a) {
  return make_float4(-a.x, -a.y, -a.z, -a.w);
}

HEDDLE_BOTH float2 make_float2(float3 a) {
  return make_float2(a.x, a.y);
}
HEDDLE_BOTH float2 make_float2(int2 a) {
  return make_float2((float)a.x, (float)a.y);
}
HEDDLE_BOTH float3 make_float3(float2 a, float z) {
  return make_float3(a.x, a.y, z);
}
HEDDLE_BOTH float3 make_float3(float4 a) {
  return make_float3(a.x, a.y, a.z);
}
HEDDLE_BOTH float4 make_float4(float3 a) {
  return make_float4(a.x, a.y, a.z, 0.0f);
}
HEDDLE_BOTH float4 make_float4(float3 a, float w) {
  return make_float4(a.x, a.y, a.z, w);
}
HEDDLE_BOTH int3 make_int3(float3 a) {
  return make_int3((int)a.x, (int)a.y, (int)a.z);
}

HEDDLE_BOTH float dot(float2 a, float2 b) {
  return a.x * b.x + a.y * b.y;
}
HEDDLE_BOTH float dot(float3 a, float3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
HEDDLE_BOTH float dot(float4 a, float4 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
HEDDLE_BOTH float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
#define HEDDLE_GEOMETRY(V)                \
  HEDDLE_BOTH float length(V a) {         \
    return sqrtf(dot(a, a));              \
  }                                       \
  HEDDLE_BOTH V normalize(V a) {          \
    return a * (1.0f / sqrtf(dot(a, a))); \
  }                                       \
  HEDDLE_BOTH V lerp(V a, V b, float t) { \
    return a + t * (b - a);               \
  }                                       \
  HEDDLE_BOTH V reflect(V i, V n) {       \
    return i - 2.0f * n * dot(n, i);      \
  }
HEDDLE_GEOMETRY(float2)
HEDDLE_GEOMETRY(float3)
HEDDLE_GEOMETRY(float4)
#undef HEDDLE_GEOMETRY
HEDDLE_BOTH float lerp(float a, float b, float t) {
  return a + t * (b - a);
}
HEDDLE_BOTH float clamp(float f, float a, float b) {
  return fmaxf(a, fminf(f, b));
}
HEDDLE_BOTH int clamp(int f, int a, int b) {
  return max(a, min(f, b));
}
HEDDLE_BOTH unsigned int clamp(unsigned int f, unsigned int a, unsigned int b) {
  return max(a, min(f, b));
}
HEDDLE_BOTH float3 fminf(float3 a, float3 b) {
  return make_float3(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z));
}
HEDDLE_BOTH float3 fmaxf(float3 a, float3 b) {
  return make_float3(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z));
}
HEDDLE_BOTH float3 floorf(float3 a) {
  return make_float3(floorf(a.x), floorf(a.y), floorf(a.z));
}
HEDDLE_BOTH float3 fabs(float3 a) {
  return make_float3(fabsf(a.x), fabsf(a.y), fabsf(a.z));
}
#undef HEDDLE_BOTH

#endif
