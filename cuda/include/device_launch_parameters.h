// SPDX-License-Identifier: MIT
// threadIdx, blockIdx, blockDim, gridDim and warpSize are there without asking.
#include "cuda_runtime.h"
