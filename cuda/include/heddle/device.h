// SPDX-License-Identifier: MIT
// What kernels use: clang's own CUDA headers for built-in variables and
// mathematics, ours for atomics, warps, textures and the rest.
#ifndef HEDDLE_DEVICE_H
#define HEDDLE_DEVICE_H

#include "cuda.h"

#include <__clang_cuda_builtin_vars.h>
// With an older version clang calls the library for operations on packed bytes
// and halfwords, not the video instructions that no GPU since Kepler has.
#pragma push_macro("CUDA_VERSION")
#undef CUDA_VERSION
#define CUDA_VERSION 9010
#include <__clang_cuda_libdevice_declares.h>
HEDDLE_CALLERS_LINES_BEGIN
#include "heddle/barriers.h"
#include "heddle/known_powers.h"
HEDDLE_CALLERS_LINES_END
#include <__clang_cuda_device_functions.h>
#pragma pop_macro("CUDA_VERSION")
// Those of few instructions (cuda/device/short.h).
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
extern "C" __device__ float __nv_short_expf(float);
extern "C" __device__ float __nv_short_tanhf(float);
#define __nv_expf __nv_short_expf
#define __nv_tanhf __nv_short_tanhf
#endif
#include <__clang_cuda_math.h>
#undef __nv_expf
#undef __nv_tanhf

#define HEDDLE_BUILTIN_VARIABLE(name)                                   \
  __device__ inline __cuda_builtin_##name##_t::operator dim3() const {  \
    return dim3(x, y, z);                                               \
  }                                                                     \
  __device__ inline __cuda_builtin_##name##_t::operator uint3() const { \
    return make_uint3(x, y, z);                                         \
  }
HEDDLE_BUILTIN_VARIABLE(threadIdx)
HEDDLE_BUILTIN_VARIABLE(blockIdx)
HEDDLE_BUILTIN_VARIABLE(blockDim)
HEDDLE_BUILTIN_VARIABLE(gridDim)
#undef HEDDLE_BUILTIN_VARIABLE

// clang declares these and does not define them.
static __inline__ __device__ double nan(const char *tag) {
  return __nv_nan(reinterpret_cast<const signed char *>(tag));
}
static __inline__ __device__ float nanf(const char *tag) {
  return __nv_nanf(reinterpret_cast<const signed char *>(tag));
}

#include <__clang_cuda_cmath.h>
HEDDLE_CALLERS_LINES_BEGIN
#include "heddle/float_math.h"
HEDDLE_CALLERS_LINES_END
#include <__clang_cuda_complex_builtins.h>

HEDDLE_CALLERS_LINES_BEGIN
#include "heddle/atomics.h"
#include "heddle/dynamic_programming.h"
#include "heddle/memory.h"
#include "heddle/warp.h"
#include "heddle/texture_fetch.h"
#include "heddle/surface_access.h"
HEDDLE_CALLERS_LINES_END

namespace heddle {
// A shared variable that is not initialised, whatever its constructors.
template <typename T>
union Shared {
  T value;
  __host__ __device__ Shared() {}
  __host__ __device__ ~Shared() {}
};
}  // namespace heddle

// What the simulator serves itself: output, checks and the heap.
extern "C" {
__device__ int vprintf(const char *format, const char *arguments);
__device__ int printf(const char *format, ...);
__device__ void *malloc(size_t size) __attribute__((malloc, nothrow));
__device__ void free(void *pointer) __attribute__((nothrow));
__device__ void __assertfail(const char *condition, const char *file, unsigned int line,
                             const char *function, size_t char_size);
static __device__ __inline__ void __assert_fail(const char *condition, const char *file,
                                                unsigned int line, const char *function) {
  __assertfail(condition, file, line, function, sizeof(char));
}
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                         void *stream = 0);
}
namespace std {
static __device__ __inline__ void *malloc(size_t size) {
  return ::malloc(size);
}
static __device__ __inline__ void free(void *pointer) {
  ::free(pointer);
}
}  // namespace std

#endif
