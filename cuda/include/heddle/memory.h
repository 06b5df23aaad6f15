// SPDX-License-Identifier: MIT
// Loads and stores with a cache hint, address spaces, clocks, funnel shifts and
// dot products of bytes.
#ifndef HEDDLE_MEMORY_H
#define HEDDLE_MEMORY_H

#define HEDDLE_DEVICE static __device__ __forceinline__ __attribute__((unused))

// __ldg(p) and its like, for one PTX type and the C types that have its layout.
#define HEDDLE_LOAD_1(function, qualifiers, type, bits, word, constraint) \
  HEDDLE_DEVICE type function(const type *address) {                      \
    word x;                                                               \
    asm volatile("ld.global" qualifiers "." bits " %0, [%1];"             \
                 : "=" constraint(x)                                      \
                 : "l"(__nvvm_to_global(address)));                       \
    return (type)x;                                                       \
  }
#define HEDDLE_LOAD_2(function, qualifiers, type, bits, word, constraint) \
  HEDDLE_DEVICE type function(const type *address) {                      \
    word x, y;                                                            \
    asm volatile("ld.global" qualifiers ".v2." bits " {%0, %1}, [%2];"    \
                 : "=" constraint(x), "=" constraint(y)                   \
                 : "l"(__nvvm_to_global(address)));                       \
    type result;                                                          \
    result.x = x, result.y = y;                                           \
    return result;                                                        \
  }
#define HEDDLE_LOAD_4(function, qualifiers, type, bits, word, constraint)                     \
  HEDDLE_DEVICE type function(const type *address) {                                          \
    word x, y, z, w;                                                                          \
    asm volatile("ld.global" qualifiers ".v4." bits " {%0, %1, %2, %3}, [%4];"                \
                 : "=" constraint(x), "=" constraint(y), "=" constraint(z), "=" constraint(w) \
                 : "l"(__nvvm_to_global(address)));                                           \
    type result;                                                                              \
    result.x = x, result.y = y, result.z = z, result.w = w;                                   \
    return result;                                                                            \
  }
#define HEDDLE_LOADS(function, qualifiers)                                                \
  HEDDLE_LOAD_1(function, qualifiers, char, "s8", short, "h")                             \
  HEDDLE_LOAD_1(function, qualifiers, signed char, "s8", short, "h")                      \
  HEDDLE_LOAD_1(function, qualifiers, unsigned char, "u8", unsigned short, "h")           \
  HEDDLE_LOAD_1(function, qualifiers, short, "s16", short, "h")                           \
  HEDDLE_LOAD_1(function, qualifiers, unsigned short, "u16", unsigned short, "h")         \
  HEDDLE_LOAD_1(function, qualifiers, int, "s32", int, "r")                               \
  HEDDLE_LOAD_1(function, qualifiers, unsigned int, "u32", unsigned int, "r")             \
  HEDDLE_LOAD_1(function, qualifiers, long, "s64", long, "l")                             \
  HEDDLE_LOAD_1(function, qualifiers, unsigned long, "u64", unsigned long, "l")           \
  HEDDLE_LOAD_1(function, qualifiers, long long, "s64", long long, "l")                   \
  HEDDLE_LOAD_1(function, qualifiers, unsigned long long, "u64", unsigned long long, "l") \
  HEDDLE_LOAD_1(function, qualifiers, float, "f32", float, "f")                           \
  HEDDLE_LOAD_1(function, qualifiers, double, "f64", double, "d")                         \
  HEDDLE_LOAD_2(function, qualifiers, char2, "s8", short, "h")                            \
  HEDDLE_LOAD_2(function, qualifiers, uchar2, "u8", unsigned short, "h")                  \
  HEDDLE_LOAD_2(function, qualifiers, short2, "s16", short, "h")                          \
  HEDDLE_LOAD_2(function, qualifiers, ushort2, "u16", unsigned short, "h")                \
  HEDDLE_LOAD_2(function, qualifiers, int2, "s32", int, "r")                              \
  HEDDLE_LOAD_2(function, qualifiers, uint2, "u32", unsigned int, "r")                    \
  HEDDLE_LOAD_2(function, qualifiers, longlong2, "s64", long long, "l")                   \
  HEDDLE_LOAD_2(function, qualifiers, ulonglong2, "u64", unsigned long long, "l")         \
  HEDDLE_LOAD_2(function, qualifiers, float2, "f32", float, "f")                          \
  HEDDLE_LOAD_2(function, qualifiers, double2, "f64", double, "d")                        \
  HEDDLE_LOAD_4(function, qualifiers, char4, "s8", short, "h")                            \
  HEDDLE_LOAD_4(function, qualifiers, uchar4, "u8", unsigned short, "h")                  \
  HEDDLE_LOAD_4(function, qualifiers, short4, "s16", short, "h")                          \
  HEDDLE_LOAD_4(function, qualifiers, ushort4, "u16", unsigned short, "h")                \
  HEDDLE_LOAD_4(function, qualifiers, int4, "s32", int, "r")                              \
  HEDDLE_LOAD_4(function, qualifiers, uint4, "u32", unsigned int, "r")                    \
  HEDDLE_LOAD_4(function, qualifiers, float4, "f32", float, "f")

HEDDLE_DEVICE unsigned long long __nvvm_to_global(const void *address) {
  return (unsigned long long)(const void __attribute__((address_space(1))) *)address;
}
HEDDLE_LOADS(__ldg, ".nc")
HEDDLE_LOADS(__ldca, ".ca")
HEDDLE_LOADS(__ldcg, ".cg")
HEDDLE_LOADS(__ldcs, ".cs")
HEDDLE_LOADS(__ldlu, ".lu")
HEDDLE_LOADS(__ldcv, ".cv")
#undef HEDDLE_LOADS
#undef HEDDLE_LOAD_4
#undef HEDDLE_LOAD_2
#undef HEDDLE_LOAD_1

// __stcs(p, value) and its like.
#define HEDDLE_STORE_1(function, hint, type, bits, word, constraint)       \
  HEDDLE_DEVICE void function(type *address, type value) {                 \
    asm volatile("st.global." hint "." bits " [%0], %1;"                   \
                 :                                                         \
                 : "l"(__nvvm_to_global(address)), constraint((word)value) \
                 : "memory");                                              \
  }
#define HEDDLE_STORE_2(function, hint, type, bits, word, constraint)          \
  HEDDLE_DEVICE void function(type *address, type value) {                    \
    asm volatile("st.global." hint ".v2." bits " [%0], {%1, %2};"             \
                 :                                                            \
                 : "l"(__nvvm_to_global(address)), constraint((word)value.x), \
                   constraint((word)value.y)                                  \
                 : "memory");                                                 \
  }
#define HEDDLE_STORE_4(function, hint, type, bits, word, constraint)                               \
  HEDDLE_DEVICE void function(type *address, type value) {                                         \
    asm volatile("st.global." hint ".v4." bits " [%0], {%1, %2, %3, %4};"                          \
                 :                                                                                 \
                 : "l"(__nvvm_to_global(address)), constraint((word)value.x),                      \
                   constraint((word)value.y), constraint((word)value.z), constraint((word)value.w) \
                 : "memory");                                                                      \
  }
#define HEDDLE_STORES(function, hint)                                                \
  HEDDLE_STORE_1(function, hint, char, "s8", short, "h")                             \
  HEDDLE_STORE_1(function, hint, signed char, "s8", short, "h")                      \
  HEDDLE_STORE_1(function, hint, unsigned char, "u8", unsigned short, "h")           \
  HEDDLE_STORE_1(function, hint, short, "s16", short, "h")                           \
  HEDDLE_STORE_1(function, hint, unsigned short, "u16", unsigned short, "h")         \
  HEDDLE_STORE_1(function, hint, int, "s32", int, "r")                               \
  HEDDLE_STORE_1(function, hint, unsigned int, "u32", unsigned int, "r")             \
  HEDDLE_STORE_1(function, hint, long, "s64", long, "l")                             \
  HEDDLE_STORE_1(function, hint, unsigned long, "u64", unsigned long, "l")           \
  HEDDLE_STORE_1(function, hint, long long, "s64", long long, "l")                   \
  HEDDLE_STORE_1(function, hint, unsigned long long, "u64", unsigned long long, "l") \
  HEDDLE_STORE_1(function, hint, float, "f32", float, "f")                           \
  HEDDLE_STORE_1(function, hint, double, "f64", double, "d")                         \
  HEDDLE_STORE_2(function, hint, char2, "s8", short, "h")                            \
  HEDDLE_STORE_2(function, hint, uchar2, "u8", unsigned short, "h")                  \
  HEDDLE_STORE_2(function, hint, short2, "s16", short, "h")                          \
  HEDDLE_STORE_2(function, hint, ushort2, "u16", unsigned short, "h")                \
  HEDDLE_STORE_2(function, hint, int2, "s32", int, "r")                              \
  HEDDLE_STORE_2(function, hint, uint2, "u32", unsigned int, "r")                    \
  HEDDLE_STORE_2(function, hint, longlong2, "s64", long long, "l")                   \
  HEDDLE_STORE_2(function, hint, ulonglong2, "u64", unsigned long long, "l")         \
  HEDDLE_STORE_2(function, hint, float2, "f32", float, "f")                          \
  HEDDLE_STORE_2(function, hint, double2, "f64", double, "d")                        \
  HEDDLE_STORE_4(function, hint, char4, "s8", short, "h")                            \
  HEDDLE_STORE_4(function, hint, uchar4, "u8", unsigned short, "h")                  \
  HEDDLE_STORE_4(function, hint, short4, "s16", short, "h")                          \
  HEDDLE_STORE_4(function, hint, ushort4, "u16", unsigned short, "h")                \
  HEDDLE_STORE_4(function, hint, int4, "s32", int, "r")                              \
  HEDDLE_STORE_4(function, hint, uint4, "u32", unsigned int, "r")                    \
  HEDDLE_STORE_4(function, hint, float4, "f32", float, "f")
HEDDLE_STORES(__stwb, "wb")
HEDDLE_STORES(__stcg, "cg")
HEDDLE_STORES(__stcs, "cs")
HEDDLE_STORES(__stwt, "wt")
#undef HEDDLE_STORES
#undef HEDDLE_STORE_4
#undef HEDDLE_STORE_2
#undef HEDDLE_STORE_1

HEDDLE_DEVICE unsigned int __isGlobal(const void *p) {
  return __nvvm_isspacep_global(p);
}
HEDDLE_DEVICE unsigned int __isShared(const void *p) {
  return __nvvm_isspacep_shared(p);
}
HEDDLE_DEVICE unsigned int __isConstant(const void *p) {
  return __nvvm_isspacep_const(p);
}
HEDDLE_DEVICE unsigned int __isLocal(const void *p) {
  return __nvvm_isspacep_local(p);
}
HEDDLE_DEVICE size_t __cvta_generic_to_global(const void *p) {
  return (size_t)(const void __attribute__((address_space(1))) *)p;
}
HEDDLE_DEVICE size_t __cvta_generic_to_shared(const void *p) {
  return (size_t)(const void __attribute__((address_space(3))) *)p;
}
HEDDLE_DEVICE void *__cvta_global_to_generic(size_t p) {
  return (void *)(void __attribute__((address_space(1))) *)p;
}
HEDDLE_DEVICE void *__cvta_shared_to_generic(size_t p) {
  return (void *)(void __attribute__((address_space(3))) *)p;
}

HEDDLE_DEVICE unsigned long long globaltimer(void) {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}
HEDDLE_DEVICE void __nanosleep(unsigned int duration) {
  asm volatile("nanosleep.u32 %0;" : : "r"(duration));
}

#define HEDDLE_FUNNEL(name, operation)                                                       \
  HEDDLE_DEVICE unsigned int name(unsigned int low, unsigned int high, unsigned int shift) { \
    unsigned int result;                                                                     \
    asm(operation ".b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));  \
    return result;                                                                           \
  }
HEDDLE_FUNNEL(__funnelshift_l, "shf.l.wrap")
HEDDLE_FUNNEL(__funnelshift_lc, "shf.l.clamp")
HEDDLE_FUNNEL(__funnelshift_r, "shf.r.wrap")
HEDDLE_FUNNEL(__funnelshift_rc, "shf.r.clamp")
#undef HEDDLE_FUNNEL

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 610
HEDDLE_DEVICE int __dp4a(int a, int b, int c) {
  int result;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}
HEDDLE_DEVICE unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  unsigned int result;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}
#endif
#undef HEDDLE_DEVICE

#endif
