// SPDX-License-Identifier: MIT
// The words that CUDA adds to C++. Outside of a CUDA compilation the words of
// functions and variables mean nothing, so that headers serve both.
#ifndef HEDDLE_HOST_DEFINES_H
#define HEDDLE_HOST_DEFINES_H
#define __HOST_DEFINES_H__ 1  // what programs ask for to know that it was read

#ifdef __CUDA__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// clang has no managed variables in CUDA; to take them for others would be wrong.
// A variable of both sides: the runtime takes the host's for the device's (heddle/managed.h).
#define __managed__ __attribute__((device)) __attribute__((section("heddle_managed")))
// clang takes two values; the third is for launches of thread block clusters.
#define __launch_bounds__(...) \
  HEDDLE_FOURTH(__VA_ARGS__, HEDDLE_BOUNDS_3, HEDDLE_BOUNDS_2, HEDDLE_BOUNDS_1, )(__VA_ARGS__)
#define HEDDLE_FOURTH(a, b, c, d, ...) d
#define HEDDLE_BOUNDS_1(threads) __attribute__((launch_bounds(threads)))
#define HEDDLE_BOUNDS_2(threads, ctas) __attribute__((launch_bounds(threads, ctas)))
#define HEDDLE_BOUNDS_3(threads, ctas, cluster) __attribute__((launch_bounds(threads, ctas)))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#endif
#define __grid_constant__
#define __inline_hint__
#define __maxnreg__(n)  // registers are counted in the PTX as compiled

#define __forceinline__ __inline__ __attribute__((always_inline))
// No __noinline__: a macro of this name breaks __attribute__((__noinline__)) in the C++ library.
// clang knows the word since version 15; `heddle cc` writes it anew for older ones.
#ifndef __cluster_dims__
#define __cluster_dims__(...) \
  _Pragma("GCC error \"thread block clusters (__cluster_dims__) are not supported\"")
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
// Between these, functions have no line numbers of their own: what is inlined
// from them belongs to the line that calls them, where people look for it.
#ifdef __clang__
#define HEDDLE_CALLERS_LINES_BEGIN \
  _Pragma("clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))")
#define HEDDLE_CALLERS_LINES_END _Pragma("clang attribute pop")
#else
#define HEDDLE_CALLERS_LINES_BEGIN
#define HEDDLE_CALLERS_LINES_END
#endif
#define __device_builtin__
#define __cudart_builtin__
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB

#endif
