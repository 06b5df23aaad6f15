// SPDX-License-Identifier: MIT
// Everything that a CUDA program sees without asking: the runtime API with its
// templates, and in a CUDA compilation the device's functions. `heddle cc`
// includes this before every .cu file.
#ifndef HEDDLE_CUDA_RUNTIME_H
#define HEDDLE_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__ 1  // what programs ask for to know that it was read

#ifdef __CUDA__
// Device overloads of mathematical functions are declared before <cmath> is read.
#include <__clang_cuda_math_forward_declares.h>
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 11
#define __CUDACC_VER_MINOR__ 5
#define __CUDACC_VER_BUILD__ 0
// CCCL of CUDA 12 and 13 works with this version, too.
#define CCCL_IGNORE_DEPRECATED_CUDA_BELOW_12 1
#endif

#ifdef __cplusplus
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>
#endif
// nvcc's own headers read these, and programs have come to rely on it.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda_runtime_api.h"
#include "driver_functions.h"
#include "vector_functions.h"

#ifdef __cplusplus
#include "channel_descriptor.h"
#include "heddle/runtime_templates.h"
#ifdef __CUDA__
#include "heddle/device.h"
#include "heddle/host_math.h"
#include "heddle/managed.h"
#include "heddle/device_launch.h"
#include <new>  // operators of device code
#endif
#endif

#endif
