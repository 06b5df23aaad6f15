// SPDX-License-Identifier: MIT
// Surfaces as objects. Surface references are left out.
#ifndef HEDDLE_SURFACE_TYPES_H
#define HEDDLE_SURFACE_TYPES_H
#define __SURFACE_TYPES_H__ 1  // what programs ask for to know that it was read

#include "driver_types.h"

enum cudaSurfaceBoundaryMode {
  cudaBoundaryModeZero = 0,
  cudaBoundaryModeClamp = 1,
  cudaBoundaryModeTrap = 2
};
enum cudaSurfaceFormatMode { cudaFormatModeForced = 0, cudaFormatModeAuto = 1 };

typedef unsigned long long cudaSurfaceObject_t;

#endif
