// SPDX-License-Identifier: MIT
// Launches as they were made before CUDA 4: a function keeps its block's shape
// and its parameters until it is launched, and after.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "cudadriver/api.h"

enum { PARAMETER_BYTES = 4096 };

typedef struct OldLaunch {
  CUfunction function;  // key
  unsigned block[3], shared_bytes, parameter_bytes;
  uint8_t parameters[PARAMETER_BYTES];
  UT_hash_handle hh;
} OldLaunch;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static OldLaunch *launches;

// Returns with the mutex if there is such a function.
static CUresult begin(CUfunction function, OldLaunch **launch) {
  NEED_CONTEXT();
  if (!kernel_of(function)) return CUDA_ERROR_INVALID_HANDLE;
  pthread_mutex_lock(&mutex);
  HASH_FIND_PTR(launches, &function, *launch);
  if (*launch) return CUDA_SUCCESS;
  OldLaunch *added = calloc(1, sizeof *added);
  if (added) {
    added->function = function;
    HASH_ADD_PTR(launches, function, added);
    *launch = added;
    return CUDA_SUCCESS;
  }
  pthread_mutex_unlock(&mutex);
  return CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult end(bool is_right) {
  pthread_mutex_unlock(&mutex);
  return is_right ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z) {
  OldLaunch *launch;
  NEED(begin(function, &launch));
  bool is_right = x > 0 && y > 0 && z > 0;
  if (is_right) memcpy(launch->block, (unsigned[]){(unsigned)x, (unsigned)y, (unsigned)z}, 12);
  return end(is_right);
}

EXPORT CUresult cuFuncSetSharedSize(CUfunction function, unsigned bytes) {
  OldLaunch *launch;
  NEED(begin(function, &launch));
  launch->shared_bytes = bytes;
  return end(true);
}

EXPORT CUresult cuParamSetSize(CUfunction function, unsigned bytes) {
  OldLaunch *launch;
  NEED(begin(function, &launch));
  bool is_right = bytes <= PARAMETER_BYTES;
  if (is_right) launch->parameter_bytes = bytes;
  return end(is_right);
}

EXPORT CUresult cuParamSetv(CUfunction function, int offset, void *value, unsigned bytes) {
  OldLaunch *launch;
  NEED(begin(function, &launch));
  bool is_right = value && offset >= 0 && offset <= PARAMETER_BYTES &&
                  bytes <= (unsigned)(PARAMETER_BYTES - offset);
  if (is_right) memcpy(launch->parameters + offset, value, bytes);
  return end(is_right);
}

EXPORT CUresult cuParamSeti(CUfunction function, int offset, unsigned value) {
  return cuParamSetv(function, offset, &value, sizeof value);
}

EXPORT CUresult cuParamSetf(CUfunction function, int offset, float value) {
  return cuParamSetv(function, offset, &value, sizeof value);
}

EXPORT CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream) {
  OldLaunch *found, launch;
  NEED(begin(function, &found));
  launch = *found;
  NEED(end(width > 0 && height > 0));
  size_t bytes = launch.parameter_bytes;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, launch.parameters, CU_LAUNCH_PARAM_BUFFER_SIZE,
                   &bytes, CU_LAUNCH_PARAM_END};
  return cuLaunchKernel(function, (unsigned)width, (unsigned)height, 1, launch.block[0],
                        launch.block[1], launch.block[2], launch.shared_bytes, stream, NULL, extra);
}

EXPORT CUresult cuLaunchGrid(CUfunction function, int width, int height) {
  return cuLaunchGridAsync(function, width, height, NULL);
}

EXPORT CUresult cuLaunch(CUfunction function) {
  return cuLaunchGrid(function, 1, 1);
}
