// SPDX-License-Identifier: MIT
// cudaCreateChannelDesc<T>(): how a texel of type T is laid out.
#ifndef HEDDLE_CHANNEL_DESCRIPTOR_H
#define HEDDLE_CHANNEL_DESCRIPTOR_H
#define __CHANNEL_DESCRIPTOR_H__ 1  // what programs ask for to know that it was read

#include "cuda_runtime_api.h"

template <class T>
__inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDesc() {
  return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define HEDDLE_CHANNEL(type, bits, count, kind)                                      \
  template <>                                                                        \
  __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDesc<type>() {          \
    return cudaCreateChannelDesc(bits, count > 1 ? bits : 0, count > 2 ? bits : 0,   \
                                 count > 3 ? bits : 0, cudaChannelFormatKind##kind); \
  }
#define HEDDLE_CHANNELS(name, type, bits, kind) \
  HEDDLE_CHANNEL(type, bits, 1, kind)           \
  HEDDLE_CHANNEL(name##1, bits, 1, kind)        \
  HEDDLE_CHANNEL(name##2, bits, 2, kind)        \
  HEDDLE_CHANNEL(name##3, bits, 3, kind)        \
  HEDDLE_CHANNEL(name##4, bits, 4, kind)
HEDDLE_CHANNEL(char, 8, 1, Signed)
HEDDLE_CHANNELS(char, signed char, 8, Signed)
HEDDLE_CHANNELS(uchar, unsigned char, 8, Unsigned)
HEDDLE_CHANNELS(short, short, 16, Signed)
HEDDLE_CHANNELS(ushort, unsigned short, 16, Unsigned)
HEDDLE_CHANNELS(int, int, 32, Signed)
HEDDLE_CHANNELS(uint, unsigned int, 32, Unsigned)
HEDDLE_CHANNELS(float, float, 32, Float)
#undef HEDDLE_CHANNELS
#undef HEDDLE_CHANNEL

#endif
