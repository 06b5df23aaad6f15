// SPDX-License-Identifier: MIT
// The functions of the driver API by the names that are exported; cuda.h says
// which of them a program means. A function with _ptds or _ptsz takes stream 0
// for the calling thread's own.
#ifndef HEDDLE_DRIVER_CALLS_H
#define HEDDLE_DRIVER_CALLS_H

#ifdef __cplusplus
extern "C" {
#endif

// ---- errors

CUresult cuGetErrorName(CUresult number, const char **name);
CUresult cuGetErrorString(CUresult number, const char **text);

// ---- finding functions

CUresult cuGetProcAddress_v2(const char *name, void **function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status);
CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags);
CUresult cuGetExportTable(const void **table, const CUuuid *id);

// ---- starting and the device

CUresult cuInit(unsigned flags);
CUresult cuDriverGetVersion(int *version);
CUresult cuDeviceGetCount(int *count);
CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUresult cuDeviceGetName(char *name, int length, CUdevice device);
CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device);
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device);
CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device);
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device);
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device);
CUresult cuDeviceGetProperties(CUdevprop *properties, CUdevice device);
CUresult cuDeviceGetPCIBusId(char *text, int length, CUdevice device);
CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text);
CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *width, CUarray_format format, unsigned channels,
                                            CUdevice device);
CUresult cuDeviceGetExecAffinitySupport(int *is_supported, CUexecAffinityType type,
                                        CUdevice device);
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer);
CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute number, CUdevice from,
                                 CUdevice to);
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags);
CUresult cuCtxDisablePeerAccess(CUcontext peer);
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);

// ---- contexts

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device);
CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *affinity, int count,
                        unsigned flags, CUdevice device);
CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *wanted, unsigned flags,
                        CUdevice device);
CUresult cuCtxDestroy_v2(CUcontext context);
CUresult cuCtxAttach(CUcontext *context, unsigned flags);
CUresult cuCtxDetach(CUcontext context);
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);
CUresult cuDevicePrimaryCtxReset_v2(CUdevice device);
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags);
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *is_active);
CUresult cuCtxPushCurrent_v2(CUcontext context);
CUresult cuCtxPopCurrent_v2(CUcontext *context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxGetCurrent(CUcontext *context);
CUresult cuCtxGetDevice(CUdevice *device);
CUresult cuCtxSynchronize(void);
CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context);
CUresult cuCtxSynchronize_v2(CUcontext context);
CUresult cuCtxGetId(CUcontext context, unsigned long long *id);
CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version);
CUresult cuCtxGetFlags(unsigned *flags);
CUresult cuCtxSetFlags(unsigned flags);
CUresult cuCtxSetLimit(CUlimit limit, size_t value);
CUresult cuCtxGetLimit(size_t *value, CUlimit limit);
CUresult cuCtxSetCacheConfig(CUfunc_cache preference);
CUresult cuCtxGetCacheConfig(CUfunc_cache *preference);
CUresult cuCtxSetSharedMemConfig(CUsharedconfig width);
CUresult cuCtxGetSharedMemConfig(CUsharedconfig *width);
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest);
CUresult cuCtxGetExecAffinity(CUexecAffinityParam *affinity, CUexecAffinityType type);

// ---- modules and libraries

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            CUjit_option *options, void **values);
CUresult cuModuleLoadData(CUmodule *module, const void *image);
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image);
CUresult cuModuleLoad(CUmodule *module, const char *path);
CUresult cuModuleUnload(CUmodule module);
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module);
CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned room, CUmodule module);
CUresult cuModuleGetGlobal_v2(CUdeviceptr *pointer, size_t *bytes, CUmodule module,
                              const char *name);
CUresult cuModuleGetTexRef(CUtexref *texture, CUmodule module, const char *name);
CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options,
                           void **values, unsigned count, CUlibraryOption *library_options,
                           void **library_values, unsigned library_count);
CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *options,
                               void **values, unsigned count, CUlibraryOption *library_options,
                               void **library_values, unsigned library_count);
CUresult cuLibraryUnload(CUlibrary library);
CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name);
CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library);
CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned room, CUlibrary library);
CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library);
CUresult cuLibraryGetGlobal(CUdeviceptr *pointer, size_t *bytes, CUlibrary library,
                            const char *name);

// ---- linking

CUresult cuLinkCreate_v2(unsigned count, CUjit_option *options, void **values, CUlinkState *state);
CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t bytes,
                          const char *name, unsigned count, CUjit_option *options, void **values);
CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned count,
                          CUjit_option *options, void **values);
CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes);
CUresult cuLinkDestroy(CUlinkState state);

// ---- functions and kernels

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function);
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value);
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes);
CUresult cuFuncGetName(const char **name, CUfunction function);
CUresult cuFuncGetModule(CUmodule *module, CUfunction function);
CUresult cuFuncLoad(CUfunction function);
CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function);
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache preference);
CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig width);
CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel);
CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel);
CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel,
                              CUdevice device);
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                              CUdevice device);
CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache preference, CUdevice device);
CUresult cuKernelGetName(const char **name, CUkernel kernel);
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes);

// ---- occupancy

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                     size_t shared_bytes);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function,
                                                              int threads, size_t shared_bytes,
                                                              unsigned flags);
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
                                          CUoccupancyB2DSize shared_of, size_t shared_bytes,
                                          int limit);
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction function,
                                                   CUoccupancyB2DSize shared_of,
                                                   size_t shared_bytes, int limit, unsigned flags);
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks,
                                                 int threads);

// ---- memory

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes);
CUresult cuMemAllocPitch_v2(CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height,
                            unsigned element_bytes);
CUresult cuMemFree_v2(CUdeviceptr pointer);
CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes);
CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr pointer);
CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags);
CUresult cuMemAllocHost_v2(void **pointer, size_t bytes);
CUresult cuMemFreeHost(void *pointer);
CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes, unsigned flags);
CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags);
CUresult cuMemHostUnregister(void *pointer);
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *pointer, void *host, unsigned flags);
CUresult cuMemHostGetFlags(unsigned *flags, void *host);
CUresult cuMemAdvise(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUdevice device);
CUresult cuMemAdvise_v2(CUdeviceptr pointer, size_t bytes, CUmem_advise advice,
                        CUmemLocation where);
CUresult cuMemPrefetchAsync(CUdeviceptr pointer, size_t bytes, CUdevice device, CUstream stream);
CUresult cuMemPrefetchAsync_ptsz(CUdeviceptr pointer, size_t bytes, CUdevice device,
                                 CUstream stream);
CUresult cuMemPrefetchAsync_v2(CUdeviceptr pointer, size_t bytes, CUmemLocation where,
                               unsigned flags, CUstream stream);
CUresult cuMemPrefetchAsync_v2_ptsz(CUdeviceptr pointer, size_t bytes, CUmemLocation where,
                                    unsigned flags, CUstream stream);
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr pointer, size_t bytes, unsigned flags);
CUresult cuStreamAttachMemAsync_ptsz(CUstream stream, CUdeviceptr pointer, size_t bytes,
                                     unsigned flags);

// ---- memory in a stream's order

CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream);
CUresult cuMemAllocAsync_ptsz(CUdeviceptr *pointer, size_t bytes, CUstream stream);
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *pointer, size_t bytes, CUmemoryPool pool,
                                 CUstream stream);
CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *pointer, size_t bytes, CUmemoryPool pool,
                                      CUstream stream);
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream);
CUresult cuMemFreeAsync_ptsz(CUdeviceptr pointer, CUstream stream);
CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *wanted);
CUresult cuMemPoolDestroy(CUmemoryPool pool);
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device);
CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device);
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool);
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *to);
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *from);
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t least);
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *wanted, size_t count);
CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *where);

// ---- pointers

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute number, CUdeviceptr address);
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *numbers, void **data,
                                CUdeviceptr address);
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute number, CUdeviceptr address);

// ---- copies

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpy_ptds(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyAsync_ptsz(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes);
CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr to, const void *from, size_t bytes);
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream);
CUresult cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr to, const void *from, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyDtoH_v2_ptds(void *to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoHAsync_v2_ptsz(void *to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyDtoD_v2_ptds(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoDAsync_v2_ptsz(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                      CUcontext from_context, size_t bytes);
CUresult cuMemcpyPeer_ptds(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, size_t bytes);
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, size_t bytes, CUstream stream);
CUresult cuMemcpyPeerAsync_ptsz(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                CUcontext from_context, size_t bytes, CUstream stream);
CUresult cuMemcpyHtoA_v2(CUarray to, size_t offset, const void *from, size_t bytes);
CUresult cuMemcpyHtoA_v2_ptds(CUarray to, size_t offset, const void *from, size_t bytes);
CUresult cuMemcpyHtoAAsync_v2(CUarray to, size_t offset, const void *from, size_t bytes,
                              CUstream stream);
CUresult cuMemcpyHtoAAsync_v2_ptsz(CUarray to, size_t offset, const void *from, size_t bytes,
                                   CUstream stream);
CUresult cuMemcpyDtoA_v2(CUarray to, size_t offset, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyDtoA_v2_ptds(CUarray to, size_t offset, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyAtoH_v2(void *to, CUarray from, size_t offset, size_t bytes);
CUresult cuMemcpyAtoH_v2_ptds(void *to, CUarray from, size_t offset, size_t bytes);
CUresult cuMemcpyAtoHAsync_v2(void *to, CUarray from, size_t offset, size_t bytes, CUstream stream);
CUresult cuMemcpyAtoHAsync_v2_ptsz(void *to, CUarray from, size_t offset, size_t bytes,
                                   CUstream stream);
CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t offset, size_t bytes);
CUresult cuMemcpyAtoD_v2_ptds(CUdeviceptr to, CUarray from, size_t offset, size_t bytes);
CUresult cuMemcpyAtoA_v2(CUarray to, size_t to_offset, CUarray from, size_t from_offset,
                         size_t bytes);
CUresult cuMemcpyAtoA_v2_ptds(CUarray to, size_t to_offset, CUarray from, size_t from_offset,
                              size_t bytes);

// ---- copies of two and three dimensions

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *wanted);
CUresult cuMemcpy2D_v2_ptds(const CUDA_MEMCPY2D *wanted);
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *wanted);
CUresult cuMemcpy2DUnaligned_v2_ptds(const CUDA_MEMCPY2D *wanted);
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *wanted, CUstream stream);
CUresult cuMemcpy2DAsync_v2_ptsz(const CUDA_MEMCPY2D *wanted, CUstream stream);
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *wanted);
CUresult cuMemcpy3D_v2_ptds(const CUDA_MEMCPY3D *wanted);
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *wanted, CUstream stream);
CUresult cuMemcpy3DAsync_v2_ptsz(const CUDA_MEMCPY3D *wanted, CUstream stream);
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *wanted);
CUresult cuMemcpy3DPeer_ptds(const CUDA_MEMCPY3D_PEER *wanted);
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *wanted, CUstream stream);
CUresult cuMemcpy3DPeerAsync_ptsz(const CUDA_MEMCPY3D_PEER *wanted, CUstream stream);

// ---- fills

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count);
CUresult cuMemsetD8_v2_ptds(CUdeviceptr to, unsigned char value, size_t count);
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream);
CUresult cuMemsetD8Async_ptsz(CUdeviceptr to, unsigned char value, size_t count, CUstream stream);
CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                         size_t height);
CUresult cuMemsetD2D8_v2_ptds(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                              size_t height);
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                           size_t height, CUstream stream);
CUresult cuMemsetD2D8Async_ptsz(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                                size_t height, CUstream stream);
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count);
CUresult cuMemsetD16_v2_ptds(CUdeviceptr to, unsigned short value, size_t count);
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream);
CUresult cuMemsetD16Async_ptsz(CUdeviceptr to, unsigned short value, size_t count, CUstream stream);
CUresult cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                          size_t height);
CUresult cuMemsetD2D16_v2_ptds(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                               size_t height);
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                            size_t height, CUstream stream);
CUresult cuMemsetD2D16Async_ptsz(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                                 size_t height, CUstream stream);
CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count);
CUresult cuMemsetD32_v2_ptds(CUdeviceptr to, unsigned value, size_t count);
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream);
CUresult cuMemsetD32Async_ptsz(CUdeviceptr to, unsigned value, size_t count, CUstream stream);
CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
                          size_t height);
CUresult cuMemsetD2D32_v2_ptds(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
                               size_t height);
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
                            size_t height, CUstream stream);
CUresult cuMemsetD2D32Async_ptsz(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
                                 size_t height, CUstream stream);

// ---- arrays and texture objects

CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *wanted);
CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *wanted);
CUresult cuArrayDestroy(CUarray array);
CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *wanted,
                                       CUmemAllocationGranularity_flags option);
CUresult cuMemAddressReserve(CUdeviceptr *address, size_t size, size_t alignment,
                             CUdeviceptr wanted, unsigned long long flags);
CUresult cuMemAddressFree(CUdeviceptr address, size_t size);
CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
                     const CUmemAllocationProp *wanted, unsigned long long flags);
CUresult cuMemRelease(CUmemGenericAllocationHandle handle);
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address);
CUresult cuMemExportToShareableHandle(void *shared, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags);
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shared,
                                        CUmemAllocationHandleType type);
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *to,
                                                CUmemGenericAllocationHandle handle);
CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags);
CUresult cuMemUnmap(CUdeviceptr address, size_t size);
CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc *wanted,
                        size_t count);
CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location,
                        CUdeviceptr address);
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *to, CUarray array);
CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *to, CUarray array);
CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
                           const CUDA_TEXTURE_DESC *how, const CUDA_RESOURCE_VIEW_DESC *view);
CUresult cuTexObjectDestroy(CUtexObject object);
CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource);
CUresult cuSurfObjectDestroy(CUsurfObject object);
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject object);
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *how, CUtexObject object);
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject object);
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject object);
CUresult cuMipmappedArrayCreate(CUmipmappedArray *mipmaps, const CUDA_ARRAY3D_DESCRIPTOR *wanted,
                                unsigned int levels);
CUresult cuMipmappedArrayGetLevel(CUarray *array, CUmipmappedArray mipmaps, unsigned int level);
CUresult cuMipmappedArrayDestroy(CUmipmappedArray mipmaps);

// ---- texture references

CUresult cuTexRefSetArray(CUtexref reference, CUarray array, unsigned flags);
CUresult cuTexRefSetAddress_v2(size_t *offset, CUtexref reference, CUdeviceptr pointer,
                               size_t bytes);
CUresult cuTexRefSetAddress2D_v3(CUtexref reference, const CUDA_ARRAY_DESCRIPTOR *rows,
                                 CUdeviceptr pointer, size_t pitch);
CUresult cuTexRefSetAddress2D_v2(CUtexref reference, const CUDA_ARRAY_DESCRIPTOR *rows,
                                 CUdeviceptr pointer, size_t pitch);
CUresult cuTexRefSetFormat(CUtexref reference, CUarray_format format, int channels);
CUresult cuTexRefSetAddressMode(CUtexref reference, int dimension, CUaddress_mode mode);
CUresult cuTexRefSetFilterMode(CUtexref reference, CUfilter_mode mode);
CUresult cuTexRefSetFlags(CUtexref reference, unsigned flags);
CUresult cuTexRefSetMaxAnisotropy(CUtexref reference, unsigned most);
CUresult cuTexRefGetArray(CUarray *array, CUtexref reference);
CUresult cuTexRefGetAddress_v2(CUdeviceptr *pointer, CUtexref reference);
CUresult cuTexRefGetAddressMode(CUaddress_mode *mode, CUtexref reference, int dimension);
CUresult cuTexRefGetFilterMode(CUfilter_mode *mode, CUtexref reference);
CUresult cuTexRefGetFormat(CUarray_format *format, int *channels, CUtexref reference);
CUresult cuTexRefGetFlags(unsigned *flags, CUtexref reference);
CUresult cuTexRefCreate(CUtexref *reference);
CUresult cuTexRefDestroy(CUtexref reference);
CUresult cuParamSetTexRef(CUfunction function, int unit, CUtexref reference);

// ---- streams and events

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority);
CUresult cuStreamCreate(CUstream *stream, unsigned flags);
CUresult cuStreamDestroy_v2(CUstream stream);
CUresult cuStreamSynchronize(CUstream stream);
CUresult cuStreamSynchronize_ptsz(CUstream stream);
CUresult cuStreamQuery(CUstream stream);
CUresult cuStreamQuery_ptsz(CUstream stream);
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags);
CUresult cuStreamWaitEvent_ptsz(CUstream stream, CUevent event, unsigned flags);
CUresult cuStreamGetFlags(CUstream stream, unsigned *flags);
CUresult cuStreamGetFlags_ptsz(CUstream stream, unsigned *flags);
CUresult cuStreamGetPriority(CUstream stream, int *priority);
CUresult cuStreamGetPriority_ptsz(CUstream stream, int *priority);
CUresult cuStreamGetId(CUstream stream, unsigned long long *id);
CUresult cuStreamGetId_ptsz(CUstream stream, unsigned long long *id);
CUresult cuStreamGetDevice(CUstream stream, CUdevice *device);
CUresult cuStreamGetDevice_ptsz(CUstream stream, CUdevice *device);
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context);
CUresult cuStreamGetCtx_ptsz(CUstream stream, CUcontext *context);
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback function, void *data,
                             unsigned flags);
CUresult cuStreamAddCallback_ptsz(CUstream stream, CUstreamCallback function, void *data,
                                  unsigned flags);
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data);
CUresult cuLaunchHostFunc_ptsz(CUstream stream, CUhostFn function, void *data);
CUresult cuEventCreate(CUevent *event, unsigned flags);
CUresult cuEventDestroy_v2(CUevent event);
CUresult cuEventRecord(CUevent event, CUstream stream);
CUresult cuEventRecord_ptsz(CUevent event, CUstream stream);
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags);
CUresult cuEventRecordWithFlags_ptsz(CUevent event, CUstream stream, unsigned flags);
CUresult cuEventSynchronize(CUevent event);
CUresult cuEventQuery(CUevent event);
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end);

// ---- launches

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void **arguments, void **extra);
CUresult cuLaunchKernel_ptsz(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                             unsigned block_x, unsigned block_y, unsigned block_z,
                             unsigned shared_bytes, CUstream stream, void **arguments,
                             void **extra);
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared_bytes, CUstream stream,
                                   void **arguments);
CUresult cuLaunchCooperativeKernel_ptsz(CUfunction function, unsigned grid_x, unsigned grid_y,
                                        unsigned grid_z, unsigned block_x, unsigned block_y,
                                        unsigned block_z, unsigned shared_bytes, CUstream stream,
                                        void **arguments);
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **arguments,
                          void **extra);
CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction function, void **arguments,
                               void **extra);

// ---- launches of before CUDA 4

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z);
CUresult cuFuncSetSharedSize(CUfunction function, unsigned bytes);
CUresult cuParamSetSize(CUfunction function, unsigned bytes);
CUresult cuParamSetv(CUfunction function, int offset, void *value, unsigned bytes);
CUresult cuParamSeti(CUfunction function, int offset, unsigned value);
CUresult cuParamSetf(CUfunction function, int offset, float value);
CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream);
CUresult cuLaunchGrid(CUfunction function, int width, int height);
CUresult cuLaunch(CUfunction function);

// ---- graphs

CUresult cuGraphCreate(CUgraph *graph, unsigned flags);
CUresult cuGraphDestroy(CUgraph graph);
CUresult cuGraphClone(CUgraph *clone, CUgraph graph);
CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
                              size_t count, const CUDA_KERNEL_NODE_PARAMS_v1 *from);
CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
                                 size_t count, const CUDA_KERNEL_NODE_PARAMS_v2 *from);
CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2 *from);
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec execution, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS_v2 *from);
CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
                              size_t count, const CUDA_MEMCPY3D *from, CUcontext context);
CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
                              size_t count, const CUDA_MEMSET_NODE_PARAMS *from, CUcontext context);
CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
                            size_t count, const CUDA_HOST_NODE_PARAMS *from);
CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
                             size_t count);
CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
                                  size_t count, CUgraph child);
CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
                                   size_t count, CUevent event);
CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before,
                                 size_t count, CUevent event);
CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                size_t count);
CUresult cuGraphDestroyNode(CUgraphNode node);
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type);
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *to, size_t *count);
CUresult cuGraphInstantiateWithFlags(CUgraphExec *execution, CUgraph graph,
                                     unsigned long long flags);
CUresult cuGraphInstantiate_v2(CUgraphExec *execution, CUgraph graph, CUgraphNode *misfit,
                               char *log, size_t bytes);
CUresult cuGraphExecDestroy(CUgraphExec execution);
CUresult cuGraphLaunch(CUgraphExec execution, CUstream stream);
CUresult cuGraphLaunch_ptsz(CUgraphExec execution, CUstream stream);
CUresult cuGraphUpload(CUgraphExec execution, CUstream stream);
CUresult cuGraphUpload_ptsz(CUgraphExec execution, CUstream stream);
CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode);
CUresult cuStreamBeginCapture_v2_ptsz(CUstream stream, CUstreamCaptureMode mode);
CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph);
CUresult cuStreamEndCapture_ptsz(CUstream stream, CUgraph *graph);
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status);
CUresult cuStreamIsCapturing_ptsz(CUstream stream, CUstreamCaptureStatus *status);

// ---- older names

CUresult cuCtxCreate(CUcontext *context, unsigned flags, CUdevice device);
CUresult cuCtxDestroy(CUcontext context);
CUresult cuCtxPushCurrent(CUcontext context);
CUresult cuCtxPopCurrent(CUcontext *context);
CUresult cuDevicePrimaryCtxRelease(CUdevice device);
CUresult cuDevicePrimaryCtxReset(CUdevice device);
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags);
CUresult cuStreamDestroy(CUstream stream);
CUresult cuEventDestroy(CUevent event);
CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end);
CUresult cuLinkCreate(unsigned count, CUjit_option *options, void **values, CUlinkState *state);
CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t bytes,
                       const char *name, unsigned count, CUjit_option *options, void **values);
CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned count,
                       CUjit_option *options, void **values);
CUresult cuMemHostRegister(void *pointer, size_t bytes, unsigned flags);

// ---- known, and not supported: they say so and return CUDA_ERROR_NOT_SUPPORTED

CUresult cuMemExportToShareableHandle(void *shareable, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags);
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shareable,
                                        CUmemAllocationHandleType type);
CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr pointer);
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *pointer, CUipcMemHandle handle, unsigned flags);
CUresult cuIpcCloseMemHandle(CUdeviceptr pointer);
CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event);
CUresult cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle);
CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr pointer, cuuint32_t value,
                             unsigned flags);
CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr pointer, cuuint32_t value,
                              unsigned flags);
CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr pointer, cuuint64_t value,
                             unsigned flags);
CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr pointer, cuuint64_t value,
                              unsigned flags);

#ifdef __cplusplus
}
#endif

#endif
