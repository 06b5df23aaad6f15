// SPDX-License-Identifier: MIT
// char1 to double4 and dim3. Alignment is part of the interface: vectors of two
// and four are as aligned as they are large, up to 16 bytes; of three as one.
#ifndef HEDDLE_VECTOR_TYPES_H
#define HEDDLE_VECTOR_TYPES_H
#define __VECTOR_TYPES_H__ 1  // what programs ask for to know that it was read

#include "host_defines.h"

#define HEDDLE_VECTORS(name, type, align2, align4)  \
  struct name##1 {                                  \
    type x;                                         \
  };                                                \
  struct __attribute__((aligned(align2))) name##2 { \
    type x, y;                                      \
  };                                                \
  struct name##3 {                                  \
    type x, y, z;                                   \
  };                                                \
  struct __attribute__((aligned(align4))) name##4 { \
    type x, y, z, w;                                \
  };                                                \
  typedef struct name##1 name##1;                   \
  typedef struct name##2 name##2;                   \
  typedef struct name##3 name##3;                   \
  typedef struct name##4 name##4;

HEDDLE_VECTORS(char, signed char, 2, 4)
HEDDLE_VECTORS(uchar, unsigned char, 2, 4)
HEDDLE_VECTORS(short, short, 4, 8)
HEDDLE_VECTORS(ushort, unsigned short, 4, 8)
HEDDLE_VECTORS(int, int, 8, 16)
HEDDLE_VECTORS(uint, unsigned int, 8, 16)
HEDDLE_VECTORS(long, long int, 16, 16)
HEDDLE_VECTORS(ulong, unsigned long int, 16, 16)
HEDDLE_VECTORS(longlong, long long int, 16, 16)
HEDDLE_VECTORS(ulonglong, unsigned long long int, 16, 16)
HEDDLE_VECTORS(float, float, 8, 16)
HEDDLE_VECTORS(double, double, 16, 16)
#undef HEDDLE_VECTORS

struct dim3 {
  unsigned int x, y, z;
#if defined(__cplusplus)
#if __cplusplus >= 201103L
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const {
    return uint3{x, y, z};
  }
#else
  __host__ __device__ dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ operator uint3() const {
    uint3 v = {x, y, z};
    return v;
  }
#endif
#endif
};
typedef struct dim3 dim3;

#endif
