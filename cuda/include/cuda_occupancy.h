// SPDX-License-Identifier: MIT
// CUDA's occupancy calculator for programs without a device is not provided: the runtime's
// cudaOccupancyMaxActiveBlocksPerMultiprocessor answers for the simulated GPU. The header is
// here because Thrust includes it, and uses none of it.
#ifndef HEDDLE_CUDA_OCCUPANCY_H
#define HEDDLE_CUDA_OCCUPANCY_H

#include "cuda_runtime_api.h"

#endif
