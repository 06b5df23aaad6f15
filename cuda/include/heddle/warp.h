// SPDX-License-Identifier: MIT
// Talk among the lanes of a warp: shuffles, votes, matches, reductions. The old
// forms without a mask are those with all lanes, which is what they meant on
// GPUs whose warps run in step.
#ifndef HEDDLE_WARP_H
#define HEDDLE_WARP_H

#define HEDDLE_DEVICE static __device__ __forceinline__ __attribute__((unused))

// 64 bits travel as two words.
#define HEDDLE_SHUFFLE(name, builtin, clamp, Lane)                                               \
  HEDDLE_DEVICE int name##_sync(unsigned int mask, int value, Lane lane, int width = 32) {       \
    return builtin##_i32(mask, value, (int)lane, ((32 - width) << 8) | clamp);                   \
  }                                                                                              \
  HEDDLE_DEVICE float name##_sync(unsigned int mask, float value, Lane lane, int width = 32) {   \
    return builtin##_f32(mask, value, (int)lane, ((32 - width) << 8) | clamp);                   \
  }                                                                                              \
  HEDDLE_DEVICE unsigned int name##_sync(unsigned int mask, unsigned int value, Lane lane,       \
                                         int width = 32) {                                       \
    return (unsigned int)name##_sync(mask, (int)value, lane, width);                             \
  }                                                                                              \
  HEDDLE_DEVICE unsigned long long name##_sync(unsigned int mask, unsigned long long value,      \
                                               Lane lane, int width = 32) {                      \
    unsigned int low = name##_sync(mask, (unsigned int)value, lane, width);                      \
    unsigned int high = name##_sync(mask, (unsigned int)(value >> 32), lane, width);             \
    return (unsigned long long)high << 32 | low;                                                 \
  }                                                                                              \
  HEDDLE_SHUFFLE_AS(name, long long, Lane)                                                       \
  HEDDLE_SHUFFLE_AS(name, long, Lane)                                                            \
  HEDDLE_SHUFFLE_AS(name, unsigned long, Lane)                                                   \
  HEDDLE_DEVICE double name##_sync(unsigned int mask, double value, Lane lane, int width = 32) { \
    return __longlong_as_double(name##_sync(mask, __double_as_longlong(value), lane, width));    \
  }                                                                                              \
  template <class T>                                                                             \
  HEDDLE_DEVICE T name(T value, Lane lane, int width = 32) {                                     \
    return name##_sync(0xffffffffu, value, lane, width);                                         \
  }
#define HEDDLE_SHUFFLE_AS(name, type, Lane)                                                  \
  HEDDLE_DEVICE type name##_sync(unsigned int mask, type value, Lane lane, int width = 32) { \
    return (type)name##_sync(mask, (unsigned long long)value, lane, width);                  \
  }
// The last operand of shfl: the segment's mask and the lane to stay within.
HEDDLE_SHUFFLE(__shfl, __nvvm_shfl_sync_idx, 0x1f, int)
HEDDLE_SHUFFLE(__shfl_up, __nvvm_shfl_sync_up, 0, unsigned int)
HEDDLE_SHUFFLE(__shfl_down, __nvvm_shfl_sync_down, 0x1f, unsigned int)
HEDDLE_SHUFFLE(__shfl_xor, __nvvm_shfl_sync_bfly, 0x1f, int)
#undef HEDDLE_SHUFFLE_AS
#undef HEDDLE_SHUFFLE

HEDDLE_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) {
  heddle_syncwarp(mask);
}
HEDDLE_DEVICE int __all_sync(unsigned int mask, int p) {
  return __nvvm_vote_all_sync(mask, p);
}
HEDDLE_DEVICE int __any_sync(unsigned int mask, int p) {
  return __nvvm_vote_any_sync(mask, p);
}
HEDDLE_DEVICE int __uni_sync(unsigned int mask, int p) {
  return __nvvm_vote_uni_sync(mask, p);
}
HEDDLE_DEVICE unsigned int __ballot_sync(unsigned int mask, int p) {
  return __nvvm_vote_ballot_sync(mask, p);
}
HEDDLE_DEVICE unsigned int __activemask(void) {
  unsigned int mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
HEDDLE_DEVICE unsigned int __lane_id(void) {
  unsigned int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

// The n-th set bit of a mask from `base` on, backwards if n is negative; 0xffffffff if none.
HEDDLE_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int n) {
  unsigned int bit;
  asm("fns.b32 %0, %1, %2, %3;" : "=r"(bit) : "r"(mask), "r"(base), "r"(n));
  return bit;
}
// NVIDIA's cooperative_groups.h, which programs of nvrtc bring along, calls these.
HEDDLE_DEVICE void __barrier_sync(unsigned int id) {
  asm volatile("barrier.sync %0;" : : "r"(id) : "memory");
}
HEDDLE_DEVICE void __barrier_sync_count(unsigned int id, unsigned int threads) {
  asm volatile("barrier.sync %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
// Not clang's functions: those of 64-bit values have a wrong type in PTX.
#define HEDDLE_MATCH(type, bits, letter)                                                          \
  HEDDLE_DEVICE unsigned int __match_any_sync(unsigned int mask, type value) {                    \
    unsigned int lanes;                                                                           \
    asm volatile("match.any.sync." bits " %0, %1, %2;" : "=r"(lanes) : letter(value), "r"(mask)); \
    return lanes;                                                                                 \
  }                                                                                               \
  HEDDLE_DEVICE unsigned int __match_all_sync(unsigned int mask, type value, int *same) {         \
    unsigned int lanes;                                                                           \
    asm volatile("{ .reg .pred same; match.all.sync." bits                                        \
                 " %0|same, %2, %3; "                                                             \
                 "selp.s32 %1, 1, 0, same; }"                                                     \
                 : "=r"(lanes), "=r"(*same)                                                       \
                 : letter(value), "r"(mask));                                                     \
    return lanes;                                                                                 \
  }
HEDDLE_MATCH(int, "b32", "r")
HEDDLE_MATCH(unsigned int, "b32", "r")
HEDDLE_MATCH(long, "b64", "l")
HEDDLE_MATCH(unsigned long, "b64", "l")
HEDDLE_MATCH(long long, "b64", "l")
HEDDLE_MATCH(unsigned long long, "b64", "l")
#undef HEDDLE_MATCH
HEDDLE_DEVICE unsigned int __match_any_sync(unsigned int mask, float value) {
  return __match_any_sync(mask, __float_as_uint(value));
}
HEDDLE_DEVICE unsigned int __match_any_sync(unsigned int mask, double value) {
  return __match_any_sync(mask, __double_as_longlong(value));
}
HEDDLE_DEVICE unsigned int __match_all_sync(unsigned int mask, float value, int *same) {
  return __match_all_sync(mask, __float_as_uint(value), same);
}
HEDDLE_DEVICE unsigned int __match_all_sync(unsigned int mask, double value, int *same) {
  return __match_all_sync(mask, __double_as_longlong(value), same);
}
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define HEDDLE_REDUCE(name, operation, type)                                                     \
  HEDDLE_DEVICE type __reduce_##name##_sync(unsigned int mask, type value) {                     \
    type result;                                                                                 \
    asm volatile("redux.sync." operation " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask)); \
    return result;                                                                               \
  }
HEDDLE_REDUCE(add, "add.s32", int)
HEDDLE_REDUCE(min, "min.s32", int)
HEDDLE_REDUCE(max, "max.s32", int)
HEDDLE_REDUCE(add, "add.u32", unsigned int)
HEDDLE_REDUCE(min, "min.u32", unsigned int)
HEDDLE_REDUCE(max, "max.u32", unsigned int)
HEDDLE_REDUCE(and, "and.b32", unsigned int)
HEDDLE_REDUCE(or, "or.b32", unsigned int)
HEDDLE_REDUCE(xor, "xor.b32", unsigned int)
#undef HEDDLE_REDUCE
#endif
#undef HEDDLE_DEVICE

#endif
