// SPDX-License-Identifier: MIT
// Common declarations of this room. Each function of the driver API is a few lines that
// call the device, which holds all state except that of the API alone: owners of objects
// (objects.h) and texture references.
//
// Definitions are checked against cuda.h, the header that programs see. That is
// of CUDA 11.5; functions that came later are declared there as well. Symbols
// are written as they are exported: `cuMemAlloc_v2`, not `cuMemAlloc`.
#ifndef CUDADRIVER_API_H
#define CUDADRIVER_API_H

#include <cuda.h>

#include "device/contexts.h"
#include "device/process/process.h"

#define EXPORT __attribute__((visibility("default")))

// Programs built with per-thread default streams call separate functions, which differ in
// the meaning of stream 0.
typedef enum StreamDefault { DEFAULT_LEGACY, DEFAULT_THREAD } StreamDefault;

DeviceStream *api_stream(StreamDefault meaning, CUstream stream);

// Maps error codes of the runtime API, which has more of them, to the driver's.
CUresult api_result(DeviceError error);

// Names a call that is not implemented, on stderr.
CUresult api_unsupported(const char *name);
void api_print(const char *text);

// Whether calls may be made: cuInit, and a context that is current and alive.
CUresult api_initialized(void);
CUresult api_current(void);

#define NEED(check)                                      \
  do {                                                   \
    CUresult need_error_ = (check);                      \
    if (need_error_ != CUDA_SUCCESS) return need_error_; \
  } while (0)
#define NEED_INITIALIZED() NEED(api_initialized())
#define NEED_CONTEXT() NEED(api_current())
#define NEED_VALUE(condition) NEED((condition) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE)
#define NEED_DEVICE(device)                                         \
  do {                                                              \
    NEED_INITIALIZED();                                             \
    NEED((device) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE); \
  } while (0)

static inline Device *api_device(void) {
  return device_of_process();
}

static inline uint64_t address_of(const void *pointer) {
  return (uint64_t)(uintptr_t)pointer;
}

// Handles are the device's own objects.
static inline DeviceModule *module_of(CUmodule module) {
  return (DeviceModule *)module;
}
static inline DeviceKernel *kernel_of(const void *function) {
  return device_kernel_find(api_device(), function);
}

// Bits of the channels of a format; false if there is none such.
bool api_channels(CUarray_format format, unsigned channels, uint8_t bits[TEXTURE_CHANNELS],
                  TextureChannel *channel);

#define LIST(...) __VA_ARGS__

// A function that needs a context, and its variant for per-thread default
// streams. The body sees `meaning`, for api_stream.
#define STREAM_CALL(name, suffix, PARAMETERS, ARGUMENTS)         \
  static CUresult name##_run(StreamDefault meaning, PARAMETERS); \
  EXPORT CUresult name(PARAMETERS) {                             \
    NEED_CONTEXT();                                              \
    return name##_run(DEFAULT_LEGACY, ARGUMENTS);                \
  }                                                              \
  EXPORT CUresult name##suffix(PARAMETERS) {                     \
    NEED_CONTEXT();                                              \
    return name##_run(DEFAULT_THREAD, ARGUMENTS);                \
  }                                                              \
  static CUresult name##_run(StreamDefault meaning, PARAMETERS)

#endif
