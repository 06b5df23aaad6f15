// SPDX-License-Identifier: MIT
// Work that calls and graphs describe alike.
#ifndef CUDADRIVER_DESCRIPTIONS_H
#define CUDADRIVER_DESCRIPTIONS_H

#include "cudadriver/api.h"

// Arguments one by one, or `extra`, which names a buffer of all.
CUresult launch_set_arguments(DeviceLaunch *launch, void **arguments, void **extra);
CUresult box_read(const CUDA_MEMCPY3D *from, DeviceCopy *copy);

#endif
