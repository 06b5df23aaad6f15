// SPDX-License-Identifier: MIT
// Registration of device code and its symbols, called by a program's constructors before
// main. Nothing is parsed yet.
#include "cudart/api.h"

EXPORT void **__cudaRegisterFatBinary(void *wrapper) {
  return (void **)device_module_register(device_of_process(), wrapper);
}

// Managed variables of programs that heddle cc built are in use from here on.
EXPORT void __cudaRegisterFatBinaryEnd(void **module) {
  if (module) device_module_prepare(device_of_process(), (DeviceModule *)module);
}

EXPORT void __cudaHeddleManaged(const void *first, const void *end) {
  device_managed_storage(device_of_process(), first, end);
}

EXPORT void __cudaUnregisterFatBinary(void **module) {
  if (module) device_module_unload(device_of_process(), (DeviceModule *)module);
}

EXPORT void __cudaRegisterFunction(void **module, const char *host, char *device_function,
                                   const char *name, int thread_limit, void *tid, void *bid,
                                   void *block, void *grid, int *warp_size) {
  (void)device_function, (void)thread_limit, (void)tid, (void)bid;
  (void)block, (void)grid, (void)warp_size;
  device_kernel_register(device_of_process(), (DeviceModule *)module, host, name);
}

EXPORT void __cudaRegisterVar(void **module, char *host, char *address, const char *name, int ext,
                              size_t bytes, int constant, int global) {
  (void)address, (void)ext, (void)constant, (void)global;
  device_symbol_register(device_of_process(), (DeviceModule *)module, host, name, bytes);
}

EXPORT void __cudaRegisterHostVar(void **module, const char *name, char *host, size_t bytes) {
  device_symbol_register(device_of_process(), (DeviceModule *)module, host, name, bytes);
}

EXPORT void __cudaRegisterManagedVar(void **module, void **host, char *address, const char *name,
                                     int ext, size_t bytes, int constant, int global) {
  (void)address, (void)ext, (void)constant, (void)global;
  device_managed_register(device_of_process(), (DeviceModule *)module, host, name, bytes);
}

EXPORT void __cudaRegisterTexture(void **module, const void *host, const void **address,
                                  const char *name, int dimensions, int normalized, int ext) {
  (void)address, (void)dimensions, (void)ext;
  device_texture_register(device_of_process(), (DeviceModule *)module, host, name, normalized);
}

EXPORT void __cudaRegisterSurface(void **module, const void *host, const void **address,
                                  const char *name, int dimensions, int ext) {
  (void)address, (void)dimensions, (void)ext;
  device_texture_register(api_device(), (DeviceModule *)module, host, name, false);
}

// Called before a managed variable is first used.
EXPORT char __cudaInitModule(void **module) {
  return device_module_prepare(device_of_process(), (DeviceModule *)module) == DEVICE_OK;
}

EXPORT int __cudaGetKernel(void **kernel, const void *host) {
  *kernel = device_kernel_find(api_device(), host);
  return api_result(*kernel ? DEVICE_OK : DEVICE_INVALID_FUNCTION);
}

EXPORT int cudaGetKernel(void **kernel, const void *host) {
  return __cudaGetKernel(kernel, host);
}

// A CUfunction of the driver API is the same thing.
EXPORT int cudaGetFuncBySymbol(void **function, const void *host) {
  return __cudaGetKernel(function, host);
}
