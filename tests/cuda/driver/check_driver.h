// SPDX-License-Identifier: MIT
// What the programs here share, in the way of samples' helper headers.
#ifndef CHECK_DRIVER_H
#define CHECK_DRIVER_H

#include <cuda.h>

#include <string>
#include <vector>

#include "../expect.h"

#define CHECK(call)                                                                     \
  do {                                                                                  \
    CUresult error_ = (call);                                                           \
    if (error_ != CUDA_SUCCESS) {                                                       \
      const char *name_ = NULL, *text_ = NULL;                                          \
      cuGetErrorName(error_, &name_);                                                   \
      cuGetErrorString(error_, &text_);                                                 \
      fprintf(stderr, "%s:%d: %s: %s (%s)\n", __FILE__, __LINE__, #call, text_, name_); \
      exit(EXIT_FAILURE);                                                               \
    }                                                                                   \
  } while (0)

// heddle cc takes both forms.
static inline CUresult create_context(CUcontext *context, unsigned flags, CUdevice device) {
#if CUDA_VERSION >= 13000 || defined HEDDLE_CUDA_H
  return cuCtxCreate(context, NULL, flags, device);
#else
  return cuCtxCreate(context, flags, device);
#endif
}

static inline CUdevice first_device() {
  CUdevice device;
  int count = 0;
  CHECK(cuInit(0));
  CHECK(cuDeviceGetCount(&count));
  EXPECT(count == 1);
  CHECK(cuDeviceGet(&device, 0));
  return device;
}

static inline std::string read_text(const char *path) {
  std::string text;
  char piece[4096];
  FILE *file = fopen(path, "rb");
  if (!file) {
    fprintf(stderr, "cannot open %s\n", path);
    exit(EXIT_FAILURE);
  }
  for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;) text.append(piece, got);
  fclose(file);
  return text;
}

template <typename T>
static CUdeviceptr upload(const std::vector<T> &values) {
  CUdeviceptr pointer;
  CHECK(cuMemAlloc(&pointer, values.size() * sizeof(T)));
  CHECK(cuMemcpyHtoD(pointer, values.data(), values.size() * sizeof(T)));
  return pointer;
}

template <typename T>
static std::vector<T> download(CUdeviceptr pointer, size_t count) {
  std::vector<T> values(count);
  CHECK(cuMemcpyDtoH(values.data(), pointer, count * sizeof(T)));
  return values;
}

#endif
