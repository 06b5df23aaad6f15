// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

#include <string>

#include "part.h"

int check_results(int first, int second) {
  int device = -1;
  if (cudaGetDevice(&device) != cudaSuccess || device != 0) return 0;
  return std::to_string(first) == std::to_string(second);
}
