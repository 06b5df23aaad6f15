// SPDX-License-Identifier: MIT
// make_cudaExtent and its like.
#ifndef HEDDLE_DRIVER_FUNCTIONS_H
#define HEDDLE_DRIVER_FUNCTIONS_H
#define __DRIVER_FUNCTIONS_H__ 1  // what programs ask for to know that it was read

#include "driver_types.h"

static __inline__ __host__ __attribute__((unused)) struct cudaExtent make_cudaExtent(size_t width,
                                                                                     size_t height,
                                                                                     size_t depth) {
  struct cudaExtent extent = {width, height, depth};
  return extent;
}
static __inline__ __host__ __attribute__((unused)) struct cudaPos make_cudaPos(size_t x, size_t y,
                                                                               size_t z) {
  struct cudaPos position = {x, y, z};
  return position;
}
static __inline__ __host__ __attribute__((unused)) struct cudaPitchedPtr make_cudaPitchedPtr(
    void *pointer, size_t pitch, size_t width, size_t height) {
  struct cudaPitchedPtr pitched = {pointer, pitch, width, height};
  return pitched;
}

#endif
