// SPDX-License-Identifier: MIT
// Modules of a context and libraries of the process: both are modules of the
// device, and a handle of one serves as the other's.
#include <stdlib.h>

#include "cudadriver/files.h"
#include "cudadriver/jit.h"
#include "cudadriver/objects.h"
#include "cudadriver/texture_references.h"

// ---- loading

// PTX errors go to the program's log, or else to stderr.
static CUresult load(const void *image, JitOptions *jit, DeviceModule **module) {
  Error err = {0};
  CUresult result = api_result(device_module_load(api_device(), image, module, &err));
  jit_answer(jit, &err);
  if (result && !jit->error.text && *err.text) api_print(err.text);
  return result;
}

static CUresult load_for_context(CUmodule *module, const void *image, JitOptions *jit) {
  DeviceModule *loaded = NULL;
  NEED(load(image, jit, &loaded));
  object_add(OBJECT_MODULE, address_of(loaded), 0);
  *module = (CUmodule)loaded;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                                   CUjit_option *options, void **values) {
  JitOptions jit;
  NEED_CONTEXT();
  NEED_VALUE(module && image);
  NEED(jit_read(&jit, count, options, values));
  return load_for_context(module, image, &jit);
}

EXPORT CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

EXPORT CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

EXPORT CUresult cuModuleLoad(CUmodule *module, const char *path) {
  char *image;
  size_t length;
  NEED_CONTEXT();
  NEED_VALUE(module);
  NEED(file_read(path, &image, &length));
  JitOptions jit = {0};
  CUresult result = image_is_cut(image, length) ? CUDA_ERROR_INVALID_IMAGE
                                                : load_for_context(module, image, &jit);
  free(image);
  return result;
}

static CUresult need_module(const void *module) {
  return device_module_exists(api_device(), module) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static void unload(DeviceModule *module) {
  texture_references_forget(module);
  device_module_unload(api_device(), module);
}

EXPORT CUresult cuModuleUnload(CUmodule module) {
  NEED_CONTEXT();
  NEED(need_module(module));
  object_remove(OBJECT_MODULE, address_of(module));
  unload(module_of(module));
  return CUDA_SUCCESS;
}

// Modules are read when they are loaded.
EXPORT CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  NEED_INITIALIZED();
  NEED_VALUE(mode);
  *mode = CU_MODULE_EAGER_LOADING;
  return CUDA_SUCCESS;
}

// ---- contents of a module

static CUresult find_kernel(void **kernel, const void *module, const char *name) {
  DeviceKernel *found = NULL;
  NEED_VALUE(kernel && name);
  NEED(need_module(module));
  NEED(api_result(
      device_kernel_in_module(api_device(), (DeviceModule *)(uintptr_t)module, name, &found)));
  *kernel = found;
  return CUDA_SUCCESS;
}

static CUresult count_kernels(unsigned *count, void *module) {
  uint32_t kernels = 0;
  NEED_VALUE(count);
  NEED(need_module(module));
  NEED(api_result(device_module_kernel_count(api_device(), module, &kernels)));
  *count = kernels;
  return CUDA_SUCCESS;
}

static CUresult list_kernels(void **kernels, unsigned room, void *module) {
  unsigned count = 0;
  NEED_VALUE(kernels);
  NEED(count_kernels(&count, module));
  for (unsigned k = 0; k < room && k < count; k++)
    NEED(
        api_result(device_module_kernel_at(api_device(), module, k, (DeviceKernel **)&kernels[k])));
  return CUDA_SUCCESS;
}

static CUresult find_variable(CUdeviceptr *pointer, size_t *bytes, void *module, const char *name) {
  uint64_t address = 0, size = 0;
  NEED_VALUE((pointer || bytes) && name);
  NEED(need_module(module));
  NEED(api_result(device_symbol_in_module(api_device(), module, name, &address, &size)));
  if (pointer) *pointer = address;
  if (bytes) *bytes = size;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  NEED_CONTEXT();
  return find_kernel((void **)function, module, name);
}

EXPORT CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module) {
  NEED_CONTEXT();
  return count_kernels(count, module);
}

EXPORT CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned room, CUmodule module) {
  NEED_CONTEXT();
  return list_kernels((void **)functions, room, module);
}

EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr *pointer, size_t *bytes, CUmodule module,
                                     const char *name) {
  NEED_CONTEXT();
  return find_variable(pointer, bytes, module, name);
}

EXPORT CUresult cuModuleGetTexRef(CUtexref *texture, CUmodule module, const char *name) {
  uint64_t address, bytes;
  NEED_CONTEXT();
  NEED_VALUE(texture && name);
  NEED(need_module(module));
  NEED(
      api_result(device_symbol_in_module(api_device(), module_of(module), name, &address, &bytes)));
  return texture_reference_in_module(texture, module_of(module), name);
}

// ---- libraries

static CUresult check_library_options(unsigned count, const CUlibraryOption *options,
                                      void *const *values) {
  NEED_VALUE(!count || (options && values));
  for (unsigned i = 0; i < count; i++)
    if (options[i] != CU_LIBRARY_BINARY_IS_PRESERVED)
      return api_unsupported("libraries with a host function table");
  return CUDA_SUCCESS;
}

EXPORT CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options,
                                  void **values, unsigned count, CUlibraryOption *library_options,
                                  void **library_values, unsigned library_count) {
  JitOptions jit;
  NEED_INITIALIZED();
  NEED_VALUE(library && image);
  NEED(check_library_options(library_count, library_options, library_values));
  NEED(jit_read(&jit, count, options, values));
  return load(image, &jit, (DeviceModule **)library);
}

EXPORT CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *options,
                                      void **values, unsigned count,
                                      CUlibraryOption *library_options, void **library_values,
                                      unsigned library_count) {
  char *image;
  size_t length;
  NEED_INITIALIZED();
  NEED_VALUE(library);
  NEED(file_read(path, &image, &length));
  CUresult result = image_is_cut(image, length)
                        ? CUDA_ERROR_INVALID_IMAGE
                        : cuLibraryLoadData(library, image, options, values, count, library_options,
                                            library_values, library_count);
  free(image);
  return result;
}

EXPORT CUresult cuLibraryUnload(CUlibrary library) {
  NEED_INITIALIZED();
  NEED(need_module(library));
  unload((DeviceModule *)library);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
  NEED_INITIALIZED();
  return find_kernel((void **)kernel, library, name);
}

EXPORT CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library) {
  NEED_INITIALIZED();
  return count_kernels(count, library);
}

EXPORT CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned room, CUlibrary library) {
  NEED_INITIALIZED();
  return list_kernels((void **)kernels, room, library);
}

EXPORT CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library) {
  NEED_CONTEXT();
  NEED_VALUE(module);
  NEED(need_module(library));
  *module = (CUmodule)library;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuLibraryGetGlobal(CUdeviceptr *pointer, size_t *bytes, CUlibrary library,
                                   const char *name) {
  NEED_CONTEXT();
  return find_variable(pointer, bytes, library, name);
}
