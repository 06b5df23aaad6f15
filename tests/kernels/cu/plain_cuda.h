// SPDX-License-Identifier: MIT
// The little CUDA that kernels need which clang shall compile too, without the
// NVIDIA toolkit.
#pragma once
#ifdef __NVCC__
#define THREAD ((int)threadIdx.x)
#define NO_INLINE __noinline__
#else
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define THREAD ((int)__nvvm_read_ptx_sreg_tid_x())
#define NO_INLINE __attribute__((noinline))
#endif
