// SPDX-License-Identifier: MIT
// Types of cuSOLVER, as of CUDA's header (docs/libraries.md).
#ifndef CUSOLVER_COMMON_H_  // CUDA's word: the samples' helper_cuda.h looks for it
#define CUSOLVER_COMMON_H_

#include "library_types.h"

#define CUSOLVER_VER_MAJOR 11
#define CUSOLVER_VER_MINOR 7
#define CUSOLVER_VER_PATCH 5
#define CUSOLVER_VERSION (CUSOLVER_VER_MAJOR * 1000 + CUSOLVER_VER_MINOR * 100 + CUSOLVER_VER_PATCH)

typedef enum {
  CUSOLVER_STATUS_SUCCESS = 0,
  CUSOLVER_STATUS_NOT_INITIALIZED = 1,
  CUSOLVER_STATUS_ALLOC_FAILED = 2,
  CUSOLVER_STATUS_INVALID_VALUE = 3,
  CUSOLVER_STATUS_ARCH_MISMATCH = 4,
  CUSOLVER_STATUS_MAPPING_ERROR = 5,
  CUSOLVER_STATUS_EXECUTION_FAILED = 6,
  CUSOLVER_STATUS_INTERNAL_ERROR = 7,
  CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
  CUSOLVER_STATUS_NOT_SUPPORTED = 9,
  CUSOLVER_STATUS_ZERO_PIVOT = 10,
  CUSOLVER_STATUS_INVALID_LICENSE = 11,
} cusolverStatus_t;

#ifdef __cplusplus
extern "C" {
#endif
cusolverStatus_t cusolverGetProperty(libraryPropertyType part, int *value);
cusolverStatus_t cusolverGetVersion(int *version);
#ifdef __cplusplus
}
#endif

#endif
