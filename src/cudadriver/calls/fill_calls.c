// SPDX-License-Identifier: MIT
// Fills with 1, 2 and 4 bytes, of one and two dimensions.
#include "cudadriver/api.h"

static CUresult fill(CUdeviceptr to, size_t pitch, uint32_t value, uint32_t value_bytes,
                     size_t width, size_t height, DeviceStream *stream) {
  NEED_VALUE(to % value_bytes == 0 && pitch % value_bytes == 0);
  NEED_VALUE(width <= SIZE_MAX / value_bytes);
  CopyPlace place = {SIDE_DEVICE, to, pitch, 0};
  return api_result(device_fill(api_device(), &place, value, value_bytes, width * value_bytes,
                                height, 1, stream, true));
}

// The four forms of a fill; `name` has _v2 in the forms without a stream.
#define FILLS(suffix, Type, value_bytes)                                                     \
  STREAM_CALL(cuMemsetD##suffix##_v2, _ptds, LIST(CUdeviceptr to, Type value, size_t count), \
              LIST(to, value, count)) {                                                      \
    return fill(to, 0, value, value_bytes, count, 1, api_stream(meaning, NULL));             \
  }                                                                                          \
  STREAM_CALL(cuMemsetD##suffix##Async, _ptsz,                                               \
              LIST(CUdeviceptr to, Type value, size_t count, CUstream stream),               \
              LIST(to, value, count, stream)) {                                              \
    return fill(to, 0, value, value_bytes, count, 1, api_stream(meaning, stream));           \
  }                                                                                          \
  STREAM_CALL(cuMemsetD2D##suffix##_v2, _ptds,                                               \
              LIST(CUdeviceptr to, size_t pitch, Type value, size_t width, size_t height),   \
              LIST(to, pitch, value, width, height)) {                                       \
    return fill(to, pitch, value, value_bytes, width, height, api_stream(meaning, NULL));    \
  }                                                                                          \
  STREAM_CALL(cuMemsetD2D##suffix##Async, _ptsz,                                             \
              LIST(CUdeviceptr to, size_t pitch, Type value, size_t width, size_t height,    \
                   CUstream stream),                                                         \
              LIST(to, pitch, value, width, height, stream)) {                               \
    return fill(to, pitch, value, value_bytes, width, height, api_stream(meaning, stream));  \
  }

FILLS(8, unsigned char, 1)
FILLS(16, unsigned short, 2)
FILLS(32, unsigned, 4)
