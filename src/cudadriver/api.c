// SPDX-License-Identifier: MIT
// What all calls of the driver API share: initialisation, current context, unsupported calls.
#include "cudadriver/api.h"

#include "device/process/process.h"

void api_print(const char *text) {
  device_print(device_of_process(), "%s", text);
}

CUresult api_unsupported(const char *name) {
  device_print(device_of_process(), "%s is not supported", name);
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult api_result(DeviceError error) {
  switch (error) {
    case DEVICE_INVALID_CONFIGURATION:
    case DEVICE_INVALID_PITCH:
    case DEVICE_INVALID_DEVICE_POINTER:
    case DEVICE_INVALID_CHANNEL:
    case DEVICE_INVALID_DIRECTION:
    case DEVICE_MISSING_CONFIGURATION: return CUDA_ERROR_INVALID_VALUE;
    case DEVICE_INVALID_SYMBOL: return CUDA_ERROR_NOT_FOUND;
    case DEVICE_INVALID_TEXTURE:
    case DEVICE_INVALID_FUNCTION: return CUDA_ERROR_INVALID_HANDLE;
    default: return (CUresult)error;
  }
}

CUresult api_initialized(void) {
  return device_is_initialized(api_device()) ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult api_current(void) {
  NEED_INITIALIZED();
  const DeviceContext *context = device_context_current();
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  return device_context_is_alive(api_device(), context) ? CUDA_SUCCESS
                                                        : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

DeviceStream *api_stream(StreamDefault meaning, CUstream stream) {
  bool is_legacy = stream == CU_STREAM_LEGACY || (!stream && meaning == DEFAULT_LEGACY);
  if (is_legacy) return device_default_stream(api_device());
  if (!stream || stream == CU_STREAM_PER_THREAD) return device_thread_stream(api_device());
  return (DeviceStream *)stream;
}

bool api_channels(CUarray_format format, unsigned channels, uint8_t bits[TEXTURE_CHANNELS],
                  TextureChannel *channel) {
  static const struct {
    CUarray_format format;
    uint8_t bits;
    TextureChannel channel;
  } formats[] = {
      {CU_AD_FORMAT_UNSIGNED_INT8, 8, CHANNEL_UNSIGNED},
      {CU_AD_FORMAT_UNSIGNED_INT16, 16, CHANNEL_UNSIGNED},
      {CU_AD_FORMAT_UNSIGNED_INT32, 32, CHANNEL_UNSIGNED},
      {CU_AD_FORMAT_SIGNED_INT8, 8, CHANNEL_SIGNED},
      {CU_AD_FORMAT_SIGNED_INT16, 16, CHANNEL_SIGNED},
      {CU_AD_FORMAT_SIGNED_INT32, 32, CHANNEL_SIGNED},
      {CU_AD_FORMAT_HALF, 16, CHANNEL_FLOAT},
      {CU_AD_FORMAT_FLOAT, 32, CHANNEL_FLOAT},
  };
  if (channels != 1 && channels != 2 && channels != 4) return false;
  for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
    if (formats[f].format != format) continue;
    for (unsigned c = 0; c < TEXTURE_CHANNELS; c++) bits[c] = c < channels ? formats[f].bits : 0;
    *channel = formats[f].channel;
    return true;
  }
  return false;
}
