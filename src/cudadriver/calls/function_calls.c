// SPDX-License-Identifier: MIT
// Kernel attributes. A CUfunction and a CUkernel are the same object.
#include "cudadriver/api.h"

static CUresult need_function(const void *handle, DeviceKernel **kernel,
                              const Function **function) {
  *kernel = kernel_of(handle);
  if (!*kernel) return CUDA_ERROR_INVALID_HANDLE;
  return api_result(device_kernel_function(api_device(), *kernel, function));
}

static int most_threads(const Function *function) {
  uint32_t most = function->max_threads[0] * function->max_threads[1] * function->max_threads[2];
  return (int)(most && most < MAX_CTA_THREADS ? most : MAX_CTA_THREADS);
}

static CUresult get_attribute(int *value, CUfunction_attribute attribute, const void *handle) {
  DeviceKernel *kernel;
  const Function *function;
  NEED_VALUE(value);
  NEED(need_function(handle, &kernel, &function));
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = most_threads(function); break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)function->static_shared_bytes; break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)function->stack_bytes; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = (int)device_function_registers(api_device(), function);
      break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      *value = (int)device_kernel_architecture(api_device(), kernel);
      break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = (int)device_capability(api_device()); break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = (int)device_kernel_dynamic_shared(api_device(), kernel);
      break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = -1; break;
    default:  // no constant bank per kernel; no clusters
      NEED_VALUE((unsigned)attribute < CU_FUNC_ATTRIBUTE_MAX);
      *value = 0;
  }
  return CUDA_SUCCESS;
}

static CUresult set_attribute(const void *handle, CUfunction_attribute attribute, int value) {
  DeviceKernel *kernel;
  const Function *function;
  NEED(need_function(handle, &kernel, &function));
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {  // a hint
    NEED_VALUE(value >= -1 && value <= 100);
    return CUDA_SUCCESS;
  }
  NEED_VALUE(attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES && value >= 0);
  return api_result(device_kernel_set_dynamic_shared(api_device(), kernel, (uint32_t)value));
}

static CUresult get_parameter(const void *handle, size_t index, size_t *offset, size_t *bytes) {
  DeviceKernel *kernel;
  const Function *function;
  NEED_VALUE(offset);
  NEED(need_function(handle, &kernel, &function));
  NEED_VALUE(index < function->param_count);
  *offset = function->params[index].offset;
  if (bytes) *bytes = function->params[index].size_bytes;
  return CUDA_SUCCESS;
}

static CUresult get_name(const char **name, const void *handle) {
  DeviceKernel *kernel = kernel_of(handle);
  NEED_VALUE(name);
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  *name = device_kernel_name(kernel);
  return CUDA_SUCCESS;
}

// ---- functions

EXPORT CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                                   CUfunction function) {
  NEED_CONTEXT();
  return get_attribute(value, attribute, function);
}

EXPORT CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  NEED_CONTEXT();
  return set_attribute(function, attribute, value);
}

EXPORT CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset,
                                   size_t *bytes) {
  NEED_INITIALIZED();
  return get_parameter(function, index, offset, bytes);
}

EXPORT CUresult cuFuncGetName(const char **name, CUfunction function) {
  NEED_INITIALIZED();
  return get_name(name, function);
}

EXPORT CUresult cuFuncGetModule(CUmodule *module, CUfunction function) {
  DeviceKernel *kernel = kernel_of(function);
  NEED_INITIALIZED();
  NEED_VALUE(module);
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  *module = (CUmodule)device_kernel_module(kernel);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuFuncLoad(CUfunction function) {
  DeviceKernel *kernel;
  const Function *loaded;
  NEED_CONTEXT();
  return need_function(function, &kernel, &loaded);
}

EXPORT CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function) {
  NEED_VALUE(state);
  NEED(cuFuncLoad(function));
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}

// Preferences that a GPU may ignore, as ours does: it has one split of L1 and
// shared memory, the configuration's.
EXPORT CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache preference) {
  NEED_CONTEXT();
  NEED_VALUE((unsigned)preference <= CU_FUNC_CACHE_PREFER_EQUAL);
  return kernel_of(function) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

EXPORT CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig width) {
  NEED_CONTEXT();
  NEED_VALUE((unsigned)width <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
  return kernel_of(function) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

// ---- kernels of libraries

EXPORT CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  NEED_CONTEXT();
  NEED_VALUE(function);
  *function = (CUfunction)kernel_of(kernel);
  return *function ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

EXPORT CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel) {
  return cuFuncGetModule((CUmodule *)library, (CUfunction)kernel);
}

EXPORT CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel,
                                     CUdevice device) {
  NEED_DEVICE(device);
  return get_attribute(value, attribute, kernel);
}

EXPORT CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                                     CUdevice device) {
  NEED_DEVICE(device);
  return set_attribute(kernel, attribute, value);
}

EXPORT CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache preference, CUdevice device) {
  NEED_DEVICE(device);
  NEED_VALUE((unsigned)preference <= CU_FUNC_CACHE_PREFER_EQUAL);
  return kernel_of(kernel) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

EXPORT CUresult cuKernelGetName(const char **name, CUkernel kernel) {
  NEED_INITIALIZED();
  return get_name(name, kernel);
}

EXPORT CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes) {
  NEED_INITIALIZED();
  return get_parameter(kernel, index, offset, bytes);
}
