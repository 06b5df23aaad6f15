// SPDX-License-Identifier: MIT
// What belongs to a thread: its last error, and the launches that it has
// configured but not made.
#include "cudart/thread.h"

#include <string.h>

static _Thread_local int last_error;
static _Thread_local LaunchConfiguration stack[MAX_CONFIGURATIONS];
static _Thread_local uint32_t depth;

int api_result(DeviceError error) {
  if (error && error != DEVICE_NOT_READY) last_error = (int)error;
  return (int)error;
}

int api_unsupported(const char *name) {
  device_print(device_of_process(), "%s is not supported", name);
  return api_result(DEVICE_NOT_SUPPORTED);
}

DeviceStream *api_stream(StreamDefault meaning, StreamHandle stream) {
  uint64_t value = address_of(stream);
  if (value == STREAM_LEGACY || (value == STREAM_DEFAULT && meaning == DEFAULT_LEGACY))
    return device_default_stream(api_device());
  if (value == STREAM_DEFAULT || value == STREAM_PER_THREAD)
    return device_thread_stream(api_device());
  return stream;
}

// A kernel that failed stays the last error until the device is reset.
EXPORT int cudaPeekAtLastError(void) {
  DeviceError sticky = device_error(api_device());
  return sticky ? (int)sticky : last_error;
}

EXPORT int cudaGetLastError(void) {
  int error = cudaPeekAtLastError();
  last_error = 0;
  return error;
}

LaunchConfiguration *configuration_push(void) {
  if (depth == MAX_CONFIGURATIONS) return NULL;
  stack[depth].launch = (DeviceLaunch){0};
  return &stack[depth++];
}

LaunchConfiguration *configuration_pop(void) {
  return depth ? &stack[--depth] : NULL;
}

LaunchConfiguration *configuration_top(void) {
  return depth ? &stack[depth - 1] : NULL;
}
