// SPDX-License-Identifier: MIT
// Handles of cuSOLVER.
#include "context.h"

EXPORT cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle) {
  NEED(handle);
  *handle = new cusolverDnContext();
  return CUSOLVER_STATUS_SUCCESS;
}
EXPORT cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  NEED_HANDLE(handle);
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}
EXPORT cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  NEED_HANDLE(handle);
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}
EXPORT cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *stream) {
  NEED_HANDLE(handle);
  NEED(stream);
  *stream = handle->stream;
  return CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t version_part(libraryPropertyType part, int *value) {
  static const int version[] = {11, 7, 5};
  NEED(value && part >= MAJOR_VERSION && part <= PATCH_LEVEL);
  *value = version[part];
  return CUSOLVER_STATUS_SUCCESS;
}
EXPORT cusolverStatus_t cusolverGetProperty(libraryPropertyType part, int *value) {
  return version_part(part, value);
}
EXPORT cusolverStatus_t cusolverGetVersion(int *version) {
  NEED(version);
  *version = 11705;
  return CUSOLVER_STATUS_SUCCESS;
}
