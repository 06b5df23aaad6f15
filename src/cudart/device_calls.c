// SPDX-License-Identifier: MIT
// Device management: enumeration (one device), properties, reset.
#include <stdio.h>
#include <string.h>

#include "cudart/properties.h"
#include "device/attributes.h"

enum { CONST_BYTES = 65536, MAX_PITCH = 0x7fffffff, TEXTURE_SIDE = 65536, TEXTURE_DEPTH = 2048 };

#if CUDA_MAJOR == 11
_Static_assert(sizeof(DeviceProperties) == PROPERTIES_BYTES_11, "cudaDeviceProp of CUDA 11");
#elif CUDA_MAJOR == 12
_Static_assert(sizeof(DeviceProperties) == 1032, "cudaDeviceProp of CUDA 12");
#else
_Static_assert(sizeof(DeviceProperties) == 1008, "cudaDeviceProp of CUDA 13");
#endif

// ---- properties

static void fill_limits(DeviceProperties *to) {
  static const int sides[3] = {TEXTURE_SIDE, TEXTURE_SIDE, MAX_PITCH};
  static const int box[3] = {4096, 4096, 4096};
  static const int layered[3] = {16384, 16384, TEXTURE_DEPTH};
  to->max_pitch = MAX_PITCH;
  to->max_texture_1d = TEXTURE_SIDE;
  memcpy(to->max_texture_2d, sides, sizeof to->max_texture_2d);
  memcpy(to->max_texture_2d_linear, sides, sizeof to->max_texture_2d_linear);
  memcpy(to->max_texture_3d, box, sizeof to->max_texture_3d);
  memcpy(to->max_texture_1d_layered, layered + 1, sizeof to->max_texture_1d_layered);
  memcpy(to->max_texture_2d_layered, layered, sizeof to->max_texture_2d_layered);
#if CUDA_MAJOR < 13
  to->max_texture_1d_linear = 1 << 27;
#endif
}

static void fill_memory(DeviceProperties *to, const GpuConfig *config) {
  to->total_global_bytes = (size_t)config->gpu.memory_mb << 20;
  to->total_const_bytes = CONST_BYTES;
  to->texture_alignment = 512;
  to->texture_pitch_alignment = 32;
  to->surface_alignment = 512;
  device_attribute(api_device(), ATTRIBUTE_MEMORY_BUS_BITS, &to->memory_bus_bits);
  to->l2_bytes = (int)device_l2_bytes(api_device());
  device_attribute(api_device(), ATTRIBUTE_PERSISTING_L2_BYTES, &to->max_persisting_l2_bytes);
  device_attribute(api_device(), ATTRIBUTE_ACCESS_WINDOW_BYTES, &to->max_access_window);
  to->global_l1 = config->l1d.enabled && config->sm.l1_caches_global;
  to->local_l1 = config->l1d.enabled;
#if CUDA_MAJOR < 13
  device_attribute(api_device(), ATTRIBUTE_MEMORY_CLOCK_KHZ, &to->memory_clock_khz);
#endif
}

static void fill_multiprocessor(DeviceProperties *to, const GpuConfig *config) {
  size_t shared = (size_t)config->sm.shared_kb * 1024;
  to->multiprocessors = (int)config->gpu.sm_count;
  to->warp_size = WARP_LANES;
  to->shared_bytes_per_multiprocessor = to->shared_bytes_per_block_optin = shared;
  to->shared_bytes_per_block = shared < 48 << 10 ? shared : 48 << 10;
  to->registers_per_block = to->registers_per_multiprocessor = (int)config->sm.registers;
  to->max_threads_per_multiprocessor = (int)config->sm.max_warps * WARP_LANES;
  to->max_threads_per_block = MAX_CTA_THREADS < to->max_threads_per_multiprocessor
                                  ? MAX_CTA_THREADS
                                  : to->max_threads_per_multiprocessor;
  to->max_threads[0] = to->max_threads[1] = to->max_threads_per_block;
  to->max_threads[2] = 64;
  to->max_grid[0] = 0x7fffffff;
  to->max_grid[1] = to->max_grid[2] = 65535;
  to->max_blocks_per_multiprocessor = (int)config->sm.max_ctas;
#if CUDA_MAJOR < 13
  to->clock_khz = (int)config->gpu.core_clock_mhz * 1000;
  to->device_overlap = 1;
#endif
}

static void fill_abilities(DeviceProperties *to) {
  to->can_map_host = to->concurrent_kernels = to->async_engines = to->unified_addressing = 1;
  to->stream_priorities = to->managed_memory = to->concurrent_managed = 1;
  to->host_pointer_for_registered = to->cooperative_launch = 1;
#if CUDA_MAJOR >= 12
  to->host_register = to->memory_pools = 1;
#endif
}

static DeviceError fill_properties(DeviceProperties *to, int device) {
  const GpuConfig *config = device_config(api_device());
  if (!config) return DEVICE_NOT_INITIALIZED;
  if (!to || device) return device ? DEVICE_INVALID_DEVICE : DEVICE_INVALID_VALUE;
  uint32_t capability = device_capability(api_device());
  *to = (DeviceProperties){.major = (int)capability / 10, .minor = (int)capability % 10};
  snprintf(to->name, sizeof to->name, "Heddle %s", config->gpu.name);
  snprintf(to->uuid, sizeof to->uuid, "%s", "heddle");
  fill_limits(to);
  fill_memory(to, config);
  fill_multiprocessor(to, config);
  fill_abilities(to);
  return DEVICE_OK;
}

#if CUDA_MAJOR == 12
EXPORT int cudaGetDeviceProperties_v2(DeviceProperties *to, int device) {
  return api_result(fill_properties(to, device));
}

EXPORT int cudaGetDeviceProperties(void *to, int device) {
  DeviceProperties all;
  DeviceError error = to ? fill_properties(&all, device) : DEVICE_INVALID_VALUE;
  if (!error) memcpy(to, &all, PROPERTIES_BYTES_11);
  return api_result(error);
}
#else
EXPORT int cudaGetDeviceProperties(DeviceProperties *to, int device) {
  return api_result(fill_properties(to, device));
}
#endif

EXPORT int cudaDeviceGetAttribute(int *value, int number, int device) {
  if (!value || device) return api_result(device ? DEVICE_INVALID_DEVICE : DEVICE_INVALID_VALUE);
  return api_result(device_attribute(api_device(), number, value));
}

// ---- which device

EXPORT int cudaGetDeviceCount(int *count) {
  if (!count) return api_result(DEVICE_INVALID_VALUE);
  *count = 1;
  return 0;
}

EXPORT int cudaGetDevice(int *device) {
  if (!device) return api_result(DEVICE_INVALID_VALUE);
  *device = 0;
  return 0;
}

EXPORT int cudaSetDevice(int device) {
  return api_result(device ? DEVICE_INVALID_DEVICE : device_error(api_device()));
}

EXPORT int cudaInitDevice(int device, unsigned flags, unsigned more) {
  (void)flags, (void)more;
  return cudaSetDevice(device);
}

EXPORT int cudaChooseDevice(int *device, const void *wanted) {
  (void)wanted;
  return cudaGetDevice(device);
}

EXPORT int cudaSetValidDevices(int *devices, int count) {
  return api_result(count < 0 || (count && devices[0]) ? DEVICE_INVALID_VALUE : DEVICE_OK);
}

// How the host waits makes no difference: it does the work itself.
EXPORT int cudaSetDeviceFlags(unsigned flags) {
  return api_result(flags > 0x3f ? DEVICE_INVALID_VALUE : DEVICE_OK);
}

EXPORT int cudaGetDeviceFlags(unsigned *flags) {
  if (!flags) return api_result(DEVICE_INVALID_VALUE);
  *flags = 8;  // host memory can be mapped
  return 0;
}

EXPORT int cudaDeviceGetPCIBusId(char *text, int bytes, int device) {
  if (!text || bytes < 1 || device) return api_result(DEVICE_INVALID_VALUE);
  snprintf(text, (size_t)bytes, "0000:00:00.0");
  return 0;
}

EXPORT int cudaDeviceGetByPCIBusId(int *device, const char *text) {
  if (!device || !text) return api_result(DEVICE_INVALID_VALUE);
  *device = 0;
  return api_result(strstr(text, "00:00.0") ? DEVICE_OK : DEVICE_INVALID_DEVICE);
}

// ---- waiting and resetting; the older names mean the same

EXPORT int cudaDeviceSynchronize(void) {
  return api_result(device_synchronize(api_device()));
}

EXPORT int cudaThreadSynchronize(void) {
  return cudaDeviceSynchronize();
}

EXPORT int cudaDeviceReset(void) {
  return api_result(device_reset(api_device()));
}

EXPORT int cudaThreadExit(void) {
  return cudaDeviceReset();
}

// ---- preferences, which the configuration decides

EXPORT int cudaDeviceSetCacheConfig(int preference) {
  return api_result(preference < 0 || preference > 3 ? DEVICE_INVALID_VALUE : DEVICE_OK);
}

EXPORT int cudaThreadSetCacheConfig(int preference) {
  return cudaDeviceSetCacheConfig(preference);
}

EXPORT int cudaDeviceGetCacheConfig(int *preference) {
  if (!preference) return api_result(DEVICE_INVALID_VALUE);
  *preference = 0;
  return 0;
}

EXPORT int cudaDeviceSetSharedMemConfig(int width) {
  return api_result(width < 0 || width > 2 ? DEVICE_INVALID_VALUE : DEVICE_OK);
}

EXPORT int cudaDeviceGetSharedMemConfig(int *width) {
  const GpuConfig *config = device_config(api_device());
  if (!width || !config) return api_result(DEVICE_INVALID_VALUE);
  *width = config->sm.shared_bank_bytes == 8 ? 2 : 1;
  return 0;
}

// No line of the L2 is kept longer than others.
EXPORT int cudaCtxResetPersistingL2Cache(void) {
  return api_result(device_error(api_device()));
}

// For GPUs without double precision; a no-op here.
EXPORT int cudaSetDoubleForDevice(double *value) {
  return api_result(value ? DEVICE_OK : DEVICE_INVALID_VALUE);
}

EXPORT int cudaSetDoubleForHost(double *value) {
  return cudaSetDoubleForDevice(value);
}

enum {
  LIMIT_STACK,
  LIMIT_PRINTF,
  LIMIT_HEAP,
  LIMIT_SYNC_DEPTH,
  LIMIT_PENDING_LAUNCHES,
  LIMIT_PERSISTING_L2 = 6,
};

// Stacks are as large as they need be; printf and malloc have no buffers; kernels may
// wait for children at any depth.
EXPORT int cudaDeviceSetLimit(int limit, size_t value) {
  if (limit == LIMIT_PENDING_LAUNCHES)
    return api_result(device_set_pending_launches(api_device(), value));
  return api_result(limit < 0 || limit > 6 ? DEVICE_INVALID_VALUE : DEVICE_OK);
}

EXPORT int cudaDeviceGetLimit(size_t *value, int limit) {
  const GpuConfig *config = device_config(api_device());
  if (!value || !config || limit < 0) return api_result(DEVICE_INVALID_VALUE);
  switch (limit) {
    case LIMIT_STACK: *value = config->run.stack_bytes_per_thread; break;
    case LIMIT_PRINTF: *value = 1 << 20; break;
    case LIMIT_HEAP: *value = (size_t)config->gpu.memory_mb << 20; break;
    case LIMIT_SYNC_DEPTH: *value = config->gpu.launch_depth; break;
    case LIMIT_PENDING_LAUNCHES: *value = device_launch_limits(api_device()).pending; break;
    case LIMIT_PERSISTING_L2: *value = 0; break;  // none is set aside
    default: return api_result(DEVICE_UNSUPPORTED_LIMIT);
  }
  return 0;
}

EXPORT int cudaThreadSetLimit(int limit, size_t value) {
  return cudaDeviceSetLimit(limit, value);
}

// ---- peers: there are none

EXPORT int cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  if (!can) return api_result(DEVICE_INVALID_VALUE);
  *can = 0;
  return api_result(device || peer ? DEVICE_INVALID_DEVICE : DEVICE_OK);
}

EXPORT int cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  (void)peer, (void)flags;
  return api_result(DEVICE_INVALID_DEVICE);
}

EXPORT int cudaDeviceDisablePeerAccess(int peer) {
  return api_result(peer ? DEVICE_INVALID_DEVICE : DEVICE_PEER_NOT_ENABLED);
}

// Between a device and itself nothing can be asked.
EXPORT int cudaDeviceGetP2PAttribute(int *value, int number, int from, int to) {
  (void)number, (void)from, (void)to;
  return api_result(value ? DEVICE_INVALID_DEVICE : DEVICE_INVALID_VALUE);
}

// ---- versions and profiling

EXPORT int cudaRuntimeGetVersion(int *version) {
  if (!version) return api_result(DEVICE_INVALID_VALUE);
  *version = CUDA_MAJOR * 1000;
  return 0;
}

EXPORT int cudaDriverGetVersion(int *version) {
  if (!version) return api_result(DEVICE_INVALID_VALUE);
  *version = 13000;
  return 0;
}

// Everything is counted all the time.
EXPORT int cudaProfilerStart(void) {
  return 0;
}

EXPORT int cudaProfilerStop(void) {
  return 0;
}
