// SPDX-License-Identifier: MIT
// make_char1 to make_double4.
#ifndef HEDDLE_VECTOR_FUNCTIONS_H
#define HEDDLE_VECTOR_FUNCTIONS_H
#define __VECTOR_FUNCTIONS_H__ 1  // what programs ask for to know that it was read

#include "vector_types.h"

#define HEDDLE_MAKE static __inline__ __host__ __device__ __attribute__((unused))
#define HEDDLE_MAKERS(name, type)                                      \
  HEDDLE_MAKE name##1 make_##name##1(type x) {                         \
    name##1 v = {x};                                                   \
    return v;                                                          \
  }                                                                    \
  HEDDLE_MAKE name##2 make_##name##2(type x, type y) {                 \
    name##2 v = {x, y};                                                \
    return v;                                                          \
  }                                                                    \
  HEDDLE_MAKE name##3 make_##name##3(type x, type y, type z) {         \
    name##3 v = {x, y, z};                                             \
    return v;                                                          \
  }                                                                    \
  HEDDLE_MAKE name##4 make_##name##4(type x, type y, type z, type w) { \
    name##4 v = {x, y, z, w};                                          \
    return v;                                                          \
  }

HEDDLE_MAKERS(char, signed char)
HEDDLE_MAKERS(uchar, unsigned char)
HEDDLE_MAKERS(short, short)
HEDDLE_MAKERS(ushort, unsigned short)
HEDDLE_MAKERS(int, int)
HEDDLE_MAKERS(uint, unsigned int)
HEDDLE_MAKERS(long, long int)
HEDDLE_MAKERS(ulong, unsigned long int)
HEDDLE_MAKERS(longlong, long long int)
HEDDLE_MAKERS(ulonglong, unsigned long long int)
HEDDLE_MAKERS(float, float)
HEDDLE_MAKERS(double, double)
#undef HEDDLE_MAKERS
#undef HEDDLE_MAKE

#endif
