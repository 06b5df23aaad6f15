// SPDX-License-Identifier: MIT
// All forms of launches, and queries about kernels.
#include <string.h>

#include "cudart/thread.h"

// ---- <<<...>>>

static DeviceLaunch launch_of(Dim3 grid, Dim3 block, size_t shared_bytes, DeviceStream *stream) {
  return (DeviceLaunch){.grid = {grid.x, grid.y, grid.z},
                        .block = {block.x, block.y, block.z},
                        .dynamic_shared_bytes = shared_bytes,
                        .stream = stream};
}

EXPORT unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, size_t shared_bytes,
                                            StreamHandle stream) {
  LaunchConfiguration *top = configuration_push();
  if (!top) return (unsigned)api_result(DEVICE_MISSING_CONFIGURATION);
  top->launch = launch_of(grid, block, shared_bytes, stream);
  return 0;
}

static Dim3 dim3_of(const uint32_t size[3]) {
  return (Dim3){size[0], size[1], size[2]};
}

EXPORT int __cudaPopCallConfiguration(Dim3 *grid, Dim3 *block, size_t *shared_bytes,
                                      StreamHandle *stream) {
  const LaunchConfiguration *top = configuration_pop();
  if (!top) return api_result(DEVICE_MISSING_CONFIGURATION);
  *grid = dim3_of(top->launch.grid);
  *block = dim3_of(top->launch.block);
  *shared_bytes = top->launch.dynamic_shared_bytes;
  *stream = top->launch.stream;
  return 0;
}

static DeviceError launch(const void *function, Dim3 grid, Dim3 block, void **arguments,
                          size_t shared_bytes, DeviceStream *stream, bool is_cooperative) {
  DeviceLaunch wanted = launch_of(grid, block, shared_bytes, stream);
  wanted.kernel = device_kernel_find(api_device(), function);
  wanted.arguments = arguments;
  wanted.is_cooperative = is_cooperative;
  return device_launch(api_device(), &wanted);
}

#define LAUNCH_PARAMETERS                                                                  \
  LIST(const void *function, Dim3 grid, Dim3 block, void **arguments, size_t shared_bytes, \
       StreamHandle stream)
#define LAUNCH_ARGUMENTS LIST(function, grid, block, arguments, shared_bytes, stream)

STREAM_CALL(cudaLaunchKernel, _ptsz, LAUNCH_PARAMETERS, LAUNCH_ARGUMENTS) {
  return launch(function, grid, block, arguments, shared_bytes, api_stream(meaning, stream), false);
}

STREAM_CALL(__cudaLaunchKernel, _ptsz, LAUNCH_PARAMETERS, LAUNCH_ARGUMENTS) {
  return launch(function, grid, block, arguments, shared_bytes, api_stream(meaning, stream), false);
}

STREAM_CALL(cudaLaunchCooperativeKernel, _ptsz, LAUNCH_PARAMETERS, LAUNCH_ARGUMENTS) {
  return launch(function, grid, block, arguments, shared_bytes, api_stream(meaning, stream), true);
}

// ---- cudaLaunchKernelEx

typedef struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    int value;
    Dim3 size;
    char bytes[64];
  };
} LaunchAttribute;

typedef struct LaunchConfig {
  Dim3 grid, block;
  size_t shared_bytes;
  StreamHandle stream;
  const LaunchAttribute *attributes;
  unsigned attribute_count;
} LaunchConfig;

enum { ATTRIBUTE_COOPERATIVE = 2, ATTRIBUTE_CLUSTER = 4 };

static DeviceError launch_with_config(const LaunchConfig *config, const void *function,
                                      void **arguments, DeviceStream *stream) {
  DeviceLaunch wanted = launch_of(config->grid, config->block, config->shared_bytes, stream);
  wanted.kernel = device_kernel_find(api_device(), function);
  wanted.arguments = arguments;
  for (unsigned i = 0; i < config->attribute_count; i++) {
    const LaunchAttribute *attribute = &config->attributes[i];
    if (attribute->id == ATTRIBUTE_COOPERATIVE) wanted.is_cooperative = attribute->value != 0;
    if (attribute->id != ATTRIBUTE_CLUSTER) continue;
    const Dim3 *size = &attribute->size;
    memcpy(wanted.cluster, (uint32_t[]){size->x, size->y, size->z}, sizeof wanted.cluster);
  }
  return device_launch(api_device(), &wanted);
}

STREAM_CALL(cudaLaunchKernelExC, _ptsz,
            LIST(const LaunchConfig *config, const void *function, void **arguments),
            LIST(config, function, arguments)) {
  if (!config) return DEVICE_INVALID_VALUE;
  return launch_with_config(config, function, arguments, api_stream(meaning, config->stream));
}

// ---- the oldest way: configure, set each argument, launch

EXPORT int cudaConfigureCall(Dim3 grid, Dim3 block, size_t shared_bytes, StreamHandle stream) {
  return (int)__cudaPushCallConfiguration(grid, block, shared_bytes, stream);
}

EXPORT int cudaSetupArgument(const void *argument, size_t bytes, size_t offset) {
  LaunchConfiguration *top = configuration_top();
  if (!top) return api_result(DEVICE_MISSING_CONFIGURATION);
  if (offset > MAX_ARGUMENT_BYTES || bytes > MAX_ARGUMENT_BYTES - offset)
    return api_result(DEVICE_INVALID_VALUE);
  memcpy(top->arguments + offset, argument, bytes);
  if (top->launch.buffer_bytes < offset + bytes) top->launch.buffer_bytes = offset + bytes;
  return 0;
}

EXPORT int cudaLaunch(const void *function) {
  LaunchConfiguration *top = configuration_pop();
  if (!top) return api_result(DEVICE_MISSING_CONFIGURATION);
  top->launch.kernel = device_kernel_find(api_device(), function);
  top->launch.stream = api_stream(DEFAULT_LEGACY, top->launch.stream);
  top->launch.buffer = top->arguments;
  return api_result(device_launch(api_device(), &top->launch));
}

// ---- kernels

typedef struct FunctionAttributes {
  size_t shared_bytes, const_bytes, local_bytes;
  int max_threads, registers, ptx_version, binary_version, cache_mode, max_dynamic_shared_bytes,
      shared_carveout;
#if CUDA_MAJOR >= 12
  int cluster_must_be_set, cluster_width, cluster_height, cluster_depth, cluster_policy,
      non_portable_clusters, reserved[16];
#endif
} FunctionAttributes;

EXPORT int cudaFuncGetAttributes(FunctionAttributes *to, const void *host) {
  DeviceKernel *kernel = device_kernel_find(api_device(), host);
  const Function *function;
  if (!to) return api_result(DEVICE_INVALID_VALUE);
  if (!kernel) return api_result(DEVICE_INVALID_FUNCTION);
  DeviceError error = device_kernel_function(api_device(), kernel, &function);
  if (error) return api_result(error);
  int capability = (int)device_capability(api_device());
  uint32_t most = function->max_threads[0] * function->max_threads[1] * function->max_threads[2];
  *to = (FunctionAttributes){
      .shared_bytes = function->static_shared_bytes,
      .local_bytes = function->stack_bytes,
      .max_threads = (int)(most && most < MAX_CTA_THREADS ? most : MAX_CTA_THREADS),
      .registers = (int)device_function_registers(api_device(), function),
      .ptx_version = (int)device_kernel_architecture(api_device(), kernel),
      .binary_version = capability,
      .max_dynamic_shared_bytes = (int)device_kernel_dynamic_shared(api_device(), kernel),
      .shared_carveout = -1};
  return 0;
}

EXPORT int cudaFuncGetName(const char **name, const void *host) {
  DeviceKernel *kernel = device_kernel_find(api_device(), host);
  if (!kernel) return api_result(DEVICE_INVALID_FUNCTION);
  *name = device_kernel_name(kernel);
  return 0;
}

EXPORT int cudaFuncGetParamInfo(const void *host, size_t index, size_t *offset, size_t *bytes) {
  DeviceKernel *kernel = device_kernel_find(api_device(), host);
  const Function *function;
  if (!kernel) return api_result(DEVICE_INVALID_FUNCTION);
  DeviceError error = device_kernel_function(api_device(), kernel, &function);
  if (!error && index >= function->param_count) error = DEVICE_INVALID_VALUE;
  if (error) return api_result(error);
  if (offset) *offset = function->params[index].offset;
  if (bytes) *bytes = function->params[index].size_bytes;
  return 0;
}

enum { FUNCTION_DYNAMIC_SHARED = 8, FUNCTION_CARVEOUT = 9 };

EXPORT int cudaFuncSetAttribute(const void *host, int attribute, int value) {
  DeviceKernel *kernel = device_kernel_find(api_device(), host);
  if (!kernel) return api_result(DEVICE_INVALID_FUNCTION);
  if (attribute == FUNCTION_CARVEOUT) return 0;  // a hint
  if (attribute != FUNCTION_DYNAMIC_SHARED || value < 0) return api_result(DEVICE_INVALID_VALUE);
  return api_result(device_kernel_set_dynamic_shared(api_device(), kernel, (uint32_t)value));
}

// Preferences that a GPU may ignore, as ours does: it has one split of L1 and
// shared memory, the configuration's.
EXPORT int cudaFuncSetCacheConfig(const void *host, int preference) {
  (void)preference;
  return api_result(device_kernel_find(api_device(), host) ? DEVICE_OK : DEVICE_INVALID_FUNCTION);
}

EXPORT int cudaFuncSetSharedMemConfig(const void *host, int width) {
  return cudaFuncSetCacheConfig(host, width);
}

// ---- occupancy

EXPORT int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host, int threads,
                                                         size_t dynamic_shared_bytes) {
  DeviceKernel *kernel = device_kernel_find(api_device(), host);
  uint32_t ctas = 0;
  if (!blocks) return api_result(DEVICE_INVALID_VALUE);
  if (!kernel) return api_result(DEVICE_INVALID_FUNCTION);
  DeviceError error = device_kernel_occupancy(
      api_device(), kernel, threads < 0 ? 0 : (uint32_t)threads, dynamic_shared_bytes, &ctas);
  *blocks = (int)ctas;
  return api_result(error);
}

EXPORT int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *host,
                                                                  int threads,
                                                                  size_t dynamic_shared_bytes,
                                                                  unsigned flags) {
  (void)flags;
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, host, threads, dynamic_shared_bytes);
}

// All shared memory, divided among the CTAs, less what each has anyway.
EXPORT int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *host, int blocks,
                                                     int threads) {
  DeviceKernel *kernel = device_kernel_find(api_device(), host);
  const Function *function;
  if (!kernel || blocks < 1 || threads < 1 || !bytes) return api_result(DEVICE_INVALID_VALUE);
  DeviceError error = device_kernel_function(api_device(), kernel, &function);
  if (error) return api_result(error);
  size_t share = device_config(api_device())->sm.shared_kb * 1024u / (unsigned)blocks;
  *bytes = share > function->static_shared_bytes ? share - function->static_shared_bytes : 0;
  return 0;
}
