// SPDX-License-Identifier: MIT
// From what a call asked for to the record of the launch: parameters, stream, workspace.
#include <string.h>

#include "base/memory.h"
#include "device/launches/launch_shape.h"
#include "device/state.h"

enum { WORKSPACE_BYTES = 8 };

// The parameter block: each argument goes where the kernel's list says.
DeviceError launch_pack(const Function *function, const DeviceLaunch *wanted, uint8_t *params) {
  if (wanted->buffer) {
    // A struct of the host may end with padding.
    size_t bytes = function->param_bytes, padded = (bytes + 15) / 16 * 16;
    if (wanted->buffer_bytes > padded) return DEVICE_INVALID_VALUE;
    memcpy(params, wanted->buffer, wanted->buffer_bytes < bytes ? wanted->buffer_bytes : bytes);
    return DEVICE_OK;
  }
  if (function->param_count && !wanted->arguments) return DEVICE_INVALID_VALUE;
  for (uint32_t i = 0; i < function->param_count; i++) {
    const Slot *slot = &function->params[i];
    if (!wanted->arguments[i]) return DEVICE_INVALID_VALUE;
    memcpy(params + slot->offset, wanted->arguments[i], slot->size_bytes);
  }
  return DEVICE_OK;
}

static DeviceError make_cooperative(Device *device, Launch *launch) {
  Error err;
  uint64_t room = (uint64_t)sm_max_ctas(&device->machine.config.sm, launch) *
                  device->machine.config.gpu.sm_count;
  if (launch_cta_count(launch) > room) return DEVICE_COOPERATIVE_TOO_LARGE;
  if (device_memory_alloc(device->engine.memory, WORKSPACE_BYTES, ALLOCATION_HEAP, "grid workspace",
                          &launch->workspace, &err) != OK)
    return DEVICE_OUT_OF_MEMORY;
  device_forget_allocations(device);
  return DEVICE_OK;
}

static DeviceError bind(Device *device, const DeviceStream *stream, const DeviceLaunch *wanted,
                        Launch *launch) {
  DeviceKernel *kernel = wanted->kernel;
  const Function *function = kernel->function;
  Error err;
  uint8_t *params = memory_alloc(function->param_bytes + 1u);
  DeviceError error = launch_pack(function, wanted, params);
  uint32_t grid[3], block[3];
  memcpy(grid, wanted->grid, sizeof grid);
  memcpy(block, wanted->block, sizeof block);
  launch_reshape(kernel->module->program, function, (uint32_t)wanted->dynamic_shared_bytes,
                 device->machine.config.run.block, grid, block);
  Status status = launch_init(launch, kernel->module->program, function, grid, block, params,
                              (uint32_t)wanted->dynamic_shared_bytes,
                              device->machine.config.run.stack_bytes_per_thread, &err);
  if (error) return error;
  if (status == OK && wanted->cluster[0])
    status = launch_set_cluster(launch, wanted->cluster, &err);
  if (status != OK) {
    device_print(device, "%s", err.text);
    return DEVICE_OUT_OF_RESOURCES;
  }
  launch->origin.stream = stream->id;
  launch->origin.priority = stream->priority;
  error = launch_check_room(device, kernel, launch);
  if (!error && wanted->is_cooperative) error = make_cooperative(device, launch);
  return error;
}

DeviceError launch_bind(Device *device, const DeviceStream *stream, const DeviceLaunch *wanted,
                        Launch **launch) {
  DeviceError error = launch_check_shape(wanted);
  if (!error) error = kernel_ready(device, wanted->kernel);
  if (!error) error = launch_check_shared(device, wanted->kernel, wanted->dynamic_shared_bytes);
  if (error) return error;
  *launch = memory_alloc(sizeof **launch);
  error = bind(device, stream, wanted, *launch);
  if (error) launch_destroy(*launch);
  return error;
}

void launch_unbind(Device *device, Launch *launch) {
  Error err;
  if (launch->workspace && device->engine.memory) {
    device_memory_free(device->engine.memory, launch->workspace, &err);
    device_forget_allocations(device);
  }
  launch_destroy(launch);
}
