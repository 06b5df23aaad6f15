// SPDX-License-Identifier: MIT
// Virtual memory: ranges of addresses, and memory that is mapped into them.
#include "device/memory/virtual_memory.h"

#include "cudadriver/api.h"

// No context is wanted where memory is made, mapped or passed on: a process may only hand it out.
static DevicePiece *piece_of(CUmemGenericAllocationHandle handle) {
  return (DevicePiece *)(uintptr_t)handle;
}

// Memory of the one device, which other processes may share by a file.
static CUresult check(const CUmemAllocationProp *wanted) {
  NEED_VALUE(wanted && wanted->type == CU_MEM_ALLOCATION_TYPE_PINNED);
  if (wanted->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return api_unsupported("mapping of host memory");
  if (wanted->location.id != 0) return CUDA_ERROR_INVALID_DEVICE;
  if (wanted->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE &&
      wanted->requestedHandleTypes != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
    return api_unsupported("sharing of memory other than by file descriptors");
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemGetAllocationGranularity(size_t *granularity,
                                              const CUmemAllocationProp *wanted,
                                              CUmemAllocationGranularity_flags option) {
  NEED_INITIALIZED();
  NEED_VALUE(granularity && (unsigned)option <= CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
  NEED(check(wanted));
  *granularity = VIRTUAL_GRANULARITY;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemAddressReserve(CUdeviceptr *address, size_t size, size_t alignment,
                                    CUdeviceptr wanted, unsigned long long flags) {
  (void)wanted;  // a wish that need not be granted
  uint64_t taken;
  NEED_INITIALIZED();
  NEED_VALUE(address && !flags);
  NEED(api_result(device_range_reserve(api_device(), size, alignment, &taken)));
  *address = taken;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemAddressFree(CUdeviceptr address, size_t size) {
  NEED_INITIALIZED();
  return api_result(device_range_free(api_device(), address, size));
}

EXPORT CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
                            const CUmemAllocationProp *wanted, unsigned long long flags) {
  DevicePiece *piece = NULL;
  NEED_INITIALIZED();
  NEED_VALUE(handle && !flags);
  NEED(check(wanted));
  NEED(api_result(device_piece_create(api_device(), size, &piece)));
  *handle = address_of(piece);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  NEED_INITIALIZED();
  return api_result(device_piece_release(api_device(), piece_of(handle)));
}

EXPORT CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address) {
  DevicePiece *piece = NULL;
  NEED_CONTEXT();
  NEED_VALUE(handle);
  NEED(api_result(device_piece_retain(api_device(), address_of(address), &piece)));
  *handle = address_of(piece);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemExportToShareableHandle(void *shared, CUmemGenericAllocationHandle handle,
                                             CUmemAllocationHandleType type,
                                             unsigned long long flags) {
  NEED_INITIALIZED();
  NEED_VALUE(shared && !flags && type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  return api_result(device_piece_export(api_device(), piece_of(handle), shared));
}

// `shared` is the file itself, in the place of a pointer.
EXPORT CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shared,
                                               CUmemAllocationHandleType type) {
  DevicePiece *piece = NULL;
  NEED_INITIALIZED();
  NEED_VALUE(handle && type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  NEED(api_result(device_piece_import(api_device(), (int)(intptr_t)shared, &piece)));
  *handle = address_of(piece);
  return CUDA_SUCCESS;
}

// Memory is never compressible or accessible by other devices.
EXPORT CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *to,
                                                       CUmemGenericAllocationHandle handle) {
  NEED_CONTEXT();
  NEED_VALUE(to && device_piece_exists(api_device(), piece_of(handle)));
  *to = (CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                              .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset,
                         CUmemGenericAllocationHandle handle, unsigned long long flags) {
  NEED_INITIALIZED();
  NEED_VALUE(!offset && !flags);
  return api_result(device_piece_map(api_device(), piece_of(handle), address, size));
}

EXPORT CUresult cuMemUnmap(CUdeviceptr address, size_t size) {
  NEED_INITIALIZED();
  return api_result(device_range_unmap(api_device(), address, size));
}

EXPORT CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc *wanted,
                               size_t count) {
  NEED_CONTEXT();
  NEED_VALUE(wanted && count == 1 && wanted->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
             wanted->location.id == 0);
  NEED_VALUE(wanted->flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ||
             wanted->flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
             wanted->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  return api_result(
      device_range_set_access(api_device(), address, size, (VirtualAccess)wanted->flags));
}

EXPORT CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location,
                               CUdeviceptr address) {
  VirtualAccess access;
  NEED_CONTEXT();
  NEED_VALUE(flags && location && location->type == CU_MEM_LOCATION_TYPE_DEVICE && !location->id);
  NEED(api_result(device_range_access(api_device(), address, &access)));
  *flags = access;
  return CUDA_SUCCESS;
}
