// SPDX-License-Identifier: MIT
// libdevice.10.bc: what clang's CUDA headers call __nv_*, for a GPU without
// NVIDIA's library. Mathematics comes from libclc, whose functions have OpenCL's
// mangled names; what OpenCL does not have is computed in special.h; what is one
// PTX instruction is a builtin of clang.
//
// One translation unit: clang links libclc into it and keeps what is used.
// Wrong results of NVIDIA's library are not reproduced.
typedef unsigned int uint;
typedef unsigned long long ull;

#define EXPORT __attribute__((always_inline))

#include "short.h"
#include "math.h"
#include "convert.h"
#include "integer.h"
#include "simd.h"
#include "special.h"
