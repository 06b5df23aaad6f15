// SPDX-License-Identifier: MIT
// Functions of cuFFT that are not provided: each prints its name and returns NOT_SUPPORTED.
#include <stdio.h>

// CUFFT_NOT_SUPPORTED; arguments do not matter.
#define UNSUPPORTED(name)                                           \
  __attribute__((visibility("default"))) int name(void) {           \
    fprintf(stderr, "heddle: cuFFT: " #name " is not supported\n"); \
    return 16;                                                      \
  }
UNSUPPORTED(cufftGetPlanPropertyInt64)
UNSUPPORTED(cufftResetPlanProperty)
UNSUPPORTED(cufftSetPlanPropertyInt64)
UNSUPPORTED(cufftXtClearCallback)
UNSUPPORTED(cufftXtExecDescriptor)
UNSUPPORTED(cufftXtExecDescriptorC2C)
UNSUPPORTED(cufftXtExecDescriptorC2R)
UNSUPPORTED(cufftXtExecDescriptorD2Z)
UNSUPPORTED(cufftXtExecDescriptorR2C)
UNSUPPORTED(cufftXtExecDescriptorZ2D)
UNSUPPORTED(cufftXtExecDescriptorZ2Z)
UNSUPPORTED(cufftXtFree)
UNSUPPORTED(cufftXtMalloc)
UNSUPPORTED(cufftXtMemcpy)
UNSUPPORTED(cufftXtQueryPlan)
UNSUPPORTED(cufftXtSetCallback)
UNSUPPORTED(cufftXtSetCallbackSharedSize)
UNSUPPORTED(cufftXtSetJITCallback)
UNSUPPORTED(cufftXtSetWorkArea)
UNSUPPORTED(cufftXtSetWorkAreaPolicy)
