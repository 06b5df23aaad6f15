// SPDX-License-Identifier: MIT
// Functions of the driver API for programs that are not linked with it.
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "cudart/api.h"

enum { PER_THREAD_STREAMS = 2, FUNCTION_FOUND = 0, FUNCTION_UNKNOWN = 1 };

typedef int FindFunction(const char *name, void **function, int version, uint64_t flags,
                         int *status);

static FindFunction *find_function;

static void open_driver(void) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  void *found = driver ? dlsym(driver, "cuGetProcAddress_v2") : NULL;
  memcpy(&find_function, &found, sizeof found);
}

static DeviceError find(const char *name, void **function, unsigned version, uint64_t flags,
                        int *status) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  int result = FUNCTION_UNKNOWN;
  if (!name || !function) return DEVICE_INVALID_VALUE;
  pthread_once(&once, open_driver);
  if (!find_function) return (DeviceError)api_unsupported("the driver API without libcuda.so.1");
  DeviceError error = (DeviceError)find_function(name, function, (int)version, flags, &result);
  if (error) return error;
  if (status) *status = result;
  return status || result == FUNCTION_FOUND ? DEVICE_OK : DEVICE_NOT_FOUND;
}

// Programs built with per-thread default streams mean them unless they say.
static uint64_t flags_of(StreamDefault meaning, unsigned long long flags) {
  return flags ? flags : meaning == DEFAULT_THREAD ? PER_THREAD_STREAMS : 0;
}

STREAM_CALL(cudaGetDriverEntryPointByVersion, _ptsz,
            LIST(const char *name, void **function, unsigned version, unsigned long long flags,
                 int *status),
            LIST(name, function, version, flags, status)) {
  return find(name, function, version, flags_of(meaning, flags), status);
}

STREAM_CALL(cudaGetDriverEntryPoint, _ptsz,
            LIST(const char *name, void **function, unsigned long long flags, int *status),
            LIST(name, function, flags, status)) {
  return find(name, function, CUDA_MAJOR * 1000, flags_of(meaning, flags), status);
}
