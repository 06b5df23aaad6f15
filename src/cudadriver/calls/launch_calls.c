// SPDX-License-Identifier: MIT
// Launches with the API of CUDA 4 and later.
#include "cudadriver/descriptions.h"

// `extra` names a buffer of all parameters, as a list of names and values.
static CUresult read_extra(void **extra, DeviceLaunch *launch) {
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      launch->buffer = extra[1];
    else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
      launch->buffer_bytes = *(size_t *)extra[1];
    else
      return CUDA_ERROR_INVALID_VALUE;
  }
  NEED_VALUE(launch->buffer || !launch->buffer_bytes);
  return CUDA_SUCCESS;
}

CUresult launch_set_arguments(DeviceLaunch *launch, void **arguments, void **extra) {
  NEED_VALUE(!arguments || !extra);
  launch->arguments = arguments;
  return extra ? read_extra(extra, launch) : CUDA_SUCCESS;
}

static CUresult make(DeviceLaunch *launch, void **arguments, void **extra) {
  NEED(launch_set_arguments(launch, arguments, extra));
  return api_result(device_launch(api_device(), launch));
}

static DeviceLaunch shape(CUfunction function, const unsigned grid[3], const unsigned block[3],
                          unsigned shared_bytes, DeviceStream *stream) {
  return (DeviceLaunch){.kernel = kernel_of(function),
                        .grid = {grid[0], grid[1], grid[2]},
                        .block = {block[0], block[1], block[2]},
                        .dynamic_shared_bytes = shared_bytes,
                        .stream = stream};
}

STREAM_CALL(cuLaunchKernel, _ptsz,
            LIST(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                 CUstream stream, void **arguments, void **extra),
            LIST(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream,
                 arguments, extra)) {
  DeviceLaunch launch =
      shape(function, (unsigned[]){grid_x, grid_y, grid_z}, (unsigned[]){block_x, block_y, block_z},
            shared_bytes, api_stream(meaning, stream));
  return make(&launch, arguments, extra);
}

STREAM_CALL(cuLaunchCooperativeKernel, _ptsz,
            LIST(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                 CUstream stream, void **arguments),
            LIST(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream,
                 arguments)) {
  DeviceLaunch launch =
      shape(function, (unsigned[]){grid_x, grid_y, grid_z}, (unsigned[]){block_x, block_y, block_z},
            shared_bytes, api_stream(meaning, stream));
  launch.is_cooperative = true;
  return make(&launch, arguments, NULL);
}

// ---- with attributes

static CUresult read_attribute(const CUlaunchAttribute *attribute, DeviceLaunch *launch) {
  const CUlaunchAttributeValue *value = &attribute->value;
  switch (attribute->id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      launch->is_cooperative = value->cooperative;
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      launch->cluster[0] = value->clusterDim.x;
      launch->cluster[1] = value->clusterDim.y;
      launch->cluster[2] = value->clusterDim.z;
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
      return api_unsupported("programmatic launch events");
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
      return api_unsupported("device-updatable kernel nodes");
    default:  // hints, which a GPU may ignore
      return (unsigned)attribute->id <= CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING
                 ? CUDA_SUCCESS
                 : CUDA_ERROR_INVALID_VALUE;
  }
}

STREAM_CALL(cuLaunchKernelEx, _ptsz,
            LIST(const CUlaunchConfig *config, CUfunction function, void **arguments, void **extra),
            LIST(config, function, arguments, extra)) {
  NEED_VALUE(config && (config->attrs || !config->numAttrs));
  DeviceLaunch launch =
      shape(function, (unsigned[]){config->gridDimX, config->gridDimY, config->gridDimZ},
            (unsigned[]){config->blockDimX, config->blockDimY, config->blockDimZ},
            config->sharedMemBytes, api_stream(meaning, config->hStream));
  for (unsigned i = 0; i < config->numAttrs; i++) {
    CUresult result = read_attribute(&config->attrs[i], &launch);
    if (result == CUDA_ERROR_NOT_SUPPORTED)
      device_launch_failed(api_device(), &launch, DEVICE_NOT_SUPPORTED);
    NEED(result);
  }
  return make(&launch, arguments, extra);
}
