// SPDX-License-Identifier: MIT
// Attributes of pointers: cuPointerGetAttribute and its kin.
#include "cudadriver/objects.h"

static CUcontext context_of(const DevicePointer *pointer) {
  static const ObjectKind kinds[] = {OBJECT_MEMORY, OBJECT_HOST_MEMORY, OBJECT_MANAGED,
                                     OBJECT_REGISTERED};
  Object object;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (object_find(kinds[k], pointer->base, &object)) return (CUcontext)object.context;
  return (CUcontext)device_context_primary(api_device());  // the runtime API made it
}

static CUresult attribute(void *data, CUpointer_attribute number, CUdeviceptr address,
                          const DevicePointer *it) {
  void *same = (void *)(uintptr_t)address;
  switch (number) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: *(CUcontext *)data = context_of(it); break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *(unsigned *)data =
          it->is_host && !it->is_managed ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)data = address; break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (!it->is_host) return CUDA_ERROR_INVALID_VALUE;
      *(void **)data = same;
      break;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: *(unsigned *)data = 0; break;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: *(unsigned long long *)data = it->base; break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(unsigned *)data = it->is_managed; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = 0; break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *(CUdeviceptr *)data = it->base; break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *(size_t *)data = it->size_bytes; break;
    case CU_POINTER_ATTRIBUTE_MAPPED: *(unsigned *)data = 1; break;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: *(unsigned *)data = 0; break;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: *(unsigned long long *)data = 0; break;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: *(unsigned long long *)data = 3; break;  // read, write
    default: return CUDA_ERROR_NOT_SUPPORTED;
  }
  return CUDA_SUCCESS;
}

EXPORT CUresult cuPointerGetAttribute(void *data, CUpointer_attribute number, CUdeviceptr address) {
  DevicePointer found;
  NEED_CONTEXT();
  NEED_VALUE(data && device_pointer_find(api_device(), address, &found));
  CUresult result = attribute(data, number, address, &found);
  return result == CUDA_ERROR_NOT_SUPPORTED ? api_unsupported("this pointer attribute") : result;
}

static void clear(void *data, CUpointer_attribute number) {
  switch (number) {
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = CU_DEVICE_INVALID; break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: *(unsigned *)data = 0; break;
    default: *(unsigned long long *)data = 0;
  }
}

// Any pointer is valid; attributes that do not apply are zero.
EXPORT CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *numbers, void **data,
                                       CUdeviceptr address) {
  DevicePointer found;
  NEED_CONTEXT();
  NEED_VALUE(numbers && data);
  bool is_known = device_pointer_find(api_device(), address, &found);
  for (unsigned i = 0; i < count; i++) {
    NEED_VALUE(data[i]);
    if (!is_known || attribute(data[i], numbers[i], address, &found)) clear(data[i], numbers[i]);
  }
  return CUDA_SUCCESS;
}

// Copies are always synchronous with the host.
EXPORT CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute number,
                                      CUdeviceptr address) {
  DevicePointer found;
  NEED_CONTEXT();
  NEED_VALUE(value && number == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS);
  NEED_VALUE(device_pointer_find(api_device(), address, &found));
  return CUDA_SUCCESS;
}
