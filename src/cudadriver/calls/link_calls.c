// SPDX-License-Identifier: MIT
// Links device code into one image. The log buffers are those given at cuLinkCreate.
#include <stdlib.h>

#include "cudadriver/files.h"
#include "cudadriver/jit.h"

struct CUlinkState_st {
  DeviceLink *link;
  JitOptions jit;
};

EXPORT CUresult cuLinkCreate_v2(unsigned count, CUjit_option *options, void **values,
                                CUlinkState *state) {
  JitOptions jit;
  NEED_CONTEXT();
  NEED_VALUE(state);
  NEED(jit_read(&jit, count, options, values));
  *state = malloc(sizeof **state);
  if (!*state) return CUDA_ERROR_OUT_OF_MEMORY;
  **state = (struct CUlinkState_st){device_link_create(), jit};
  return CUDA_SUCCESS;
}

static CUresult answer(CUlinkState state, DeviceError error, const Error *err) {
  jit_answer(&state->jit, err);
  if (error && !state->jit.error.text && *err->text) api_print(err->text);
  return api_result(error);
}

static CUresult add(CUlinkState state, CUjitInputType type, const char *image, size_t bytes) {
  Error err = {0};
  if (type == CU_JIT_INPUT_CUBIN && device_image_bytes(image) == 0)
    return api_unsupported("linking machine code");
  if (type > CU_JIT_INPUT_FATBINARY && device_image_bytes(image) == 0)
    return api_unsupported("linking object files and libraries");
  if (image_is_cut(image, bytes)) return CUDA_ERROR_INVALID_IMAGE;
  return answer(state, device_link_add(api_device(), state->link, image, &err), &err);
}

// PTX need not end with a NUL when its size is given.
static char *copy_of(const void *data, size_t bytes) {
  enum { ZEROS = 64 };
  char *copy = calloc(1, bytes + ZEROS);
  const char *from = data;
  for (size_t i = 0; copy && i < bytes; i++) copy[i] = from[i];
  return copy;
}

EXPORT CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t bytes,
                                 const char *name, unsigned count, CUjit_option *options,
                                 void **values) {
  JitOptions jit;
  (void)name;
  NEED_CONTEXT();
  NEED_VALUE(state && data && bytes);
  NEED(jit_read(&jit, count, options, values));
  char *image = copy_of(data, bytes);
  if (!image) return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult result = add(state, type, image, bytes);
  free(image);
  return result;
}

EXPORT CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path,
                                 unsigned count, CUjit_option *options, void **values) {
  JitOptions jit;
  char *image;
  size_t bytes;
  NEED_CONTEXT();
  NEED_VALUE(state && path);
  NEED(jit_read(&jit, count, options, values));
  NEED(file_read(path, &image, &bytes));
  CUresult result = add(state, type, image, bytes);
  free(image);
  return result;
}

EXPORT CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes) {
  Error err = {0};
  const void *made = NULL;
  size_t size = 0;
  NEED_CONTEXT();
  NEED_VALUE(state && image);
  NEED(answer(state, device_link_complete(state->link, &made, &size, &err), &err));
  *image = (void *)(uintptr_t)made;
  if (bytes) *bytes = size;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuLinkDestroy(CUlinkState state) {
  NEED_CONTEXT();
  NEED_VALUE(state);
  device_link_destroy(state->link);
  free(state);
  return CUDA_SUCCESS;
}
