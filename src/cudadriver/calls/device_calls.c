// SPDX-License-Identifier: MIT
// Initialisation, and device management: enumeration (one device) and properties.
#include <stdio.h>
#include <string.h>

#include "cudadriver/api.h"

enum { DRIVER_VERSION = 13000 };

EXPORT CUresult cuInit(unsigned flags) {
  NEED_VALUE(!flags);
  return api_result(device_initialize(api_device()));
}

EXPORT CUresult cuDriverGetVersion(int *version) {
  NEED_VALUE(version);
  *version = DRIVER_VERSION;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetCount(int *count) {
  NEED_INITIALIZED();
  NEED_VALUE(count);
  *count = 1;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  NEED_INITIALIZED();
  NEED_VALUE(device);
  if (ordinal) return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  NEED_DEVICE(device);
  NEED_VALUE(name && length > 0);
  snprintf(name, (size_t)length, "Heddle %s", device_config(api_device())->gpu.name);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  NEED_DEVICE(device);
  NEED_VALUE(uuid);
  *uuid = (CUuuid){"heddle"};
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  return cuDeviceGetUuid_v2(uuid, device);
}

EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  NEED_DEVICE(device);
  NEED_VALUE(bytes);
  *bytes = (size_t)device_config(api_device())->gpu.memory_mb << 20;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  NEED_DEVICE(device);
  NEED_VALUE(value);
  return api_result(device_attribute(api_device(), (int)attribute, value));
}

static int attribute(CUdevice_attribute number) {
  int value = 0;
  device_attribute(api_device(), (int)number, &value);
  return value;
}

EXPORT CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  NEED_DEVICE(device);
  NEED_VALUE(major && minor);
  *major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  *minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetProperties(CUdevprop *properties, CUdevice device) {
  NEED_DEVICE(device);
  NEED_VALUE(properties);
  *properties =
      (CUdevprop){.maxThreadsPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
                  .sharedMemPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
                  .totalConstantMemory = attribute(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY),
                  .SIMDWidth = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE),
                  .memPitch = attribute(CU_DEVICE_ATTRIBUTE_MAX_PITCH),
                  .regsPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK),
                  .clockRate = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
                  .textureAlign = attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT)};
  for (int d = 0; d < 3; d++) {
    properties->maxThreadsDim[d] =
        attribute((CUdevice_attribute)(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + d));
    properties->maxGridSize[d] =
        attribute((CUdevice_attribute)(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + d));
  }
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetPCIBusId(char *text, int length, CUdevice device) {
  NEED_DEVICE(device);
  NEED_VALUE(text && length > 0);
  snprintf(text, (size_t)length, "0000:00:00.0");
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text) {
  NEED_INITIALIZED();
  NEED_VALUE(device && text);
  if (!strstr(text, "00:00.0")) return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *width, CUarray_format format,
                                                   unsigned channels, CUdevice device) {
  uint8_t bits[TEXTURE_CHANNELS];
  TextureChannel channel;
  NEED_DEVICE(device);
  NEED_VALUE(width && api_channels(format, channels, bits, &channel));
  *width = (size_t)attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetExecAffinitySupport(int *is_supported, CUexecAffinityType type,
                                               CUdevice device) {
  NEED_DEVICE(device);
  NEED_VALUE(is_supported && type == CU_EXEC_AFFINITY_TYPE_SM_COUNT);
  *is_supported = 0;
  return CUDA_SUCCESS;
}

// ---- peers: there are none

EXPORT CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  NEED_DEVICE(device);
  NEED_DEVICE(peer);
  NEED_VALUE(can);
  *can = 0;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute number, CUdevice from,
                                        CUdevice to) {
  (void)number, (void)value;
  NEED_DEVICE(from);
  NEED_DEVICE(to);
  return CUDA_ERROR_INVALID_DEVICE;  // a device is not its own peer
}

EXPORT CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  NEED_CONTEXT();
  NEED_VALUE(!flags);
  if (!device_context_exists(api_device(), (DeviceContext *)peer))
    return CUDA_ERROR_INVALID_CONTEXT;
  return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}

EXPORT CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  NEED_CONTEXT();
  if (!device_context_exists(api_device(), (DeviceContext *)peer))
    return CUDA_ERROR_INVALID_CONTEXT;
  return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

// ---- profiling: everything is counted all the time

EXPORT CUresult cuProfilerStart(void) {
  NEED_CONTEXT();
  return CUDA_SUCCESS;
}

EXPORT CUresult cuProfilerStop(void) {
  NEED_CONTEXT();
  return CUDA_SUCCESS;
}
