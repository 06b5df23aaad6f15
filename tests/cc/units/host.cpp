// SPDX-License-Identifier: MIT
// The CUDA runtime before the C++ library, whose headers use __noinline__ as an
// attribute.
#include <cuda_runtime.h>

#include <memory>
#include <string>

#include <cuda.h>

#include "part.h"

int check_results(int first, int second) {
  int device = -1;
  if (cudaGetDevice(&device) != cudaSuccess || device != 0) return 0;
#if !defined __DRIVER_TYPES_H__ || !defined __CUDA_RUNTIME_H__ || !defined __cuda_cuda_h__
#error these are how programs know what they have included
#endif
  return *std::make_shared<std::string>(std::to_string(first)) == std::to_string(second);
}
