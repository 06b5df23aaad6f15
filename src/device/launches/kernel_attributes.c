// SPDX-License-Identifier: MIT
// Attributes of kernels: shared memory, registers, architecture, occupancy.
#include "device/memory/images.h"
#include "device/state.h"

DeviceError device_kernel_set_dynamic_shared(Device *device, DeviceKernel *kernel, uint32_t bytes) {
  device_lock(device);
  DeviceError error = kernel_ready(device, kernel);
  uint64_t most = (uint64_t)device->machine.config.sm.shared_kb * 1024;
  if (!error && bytes + (uint64_t)kernel->function->static_shared_bytes > most)
    error = DEVICE_INVALID_VALUE;
  if (!error) kernel->dynamic_shared_bytes = bytes;
  device_unlock(device);
  return error;
}

uint32_t device_function_registers(Device *device, const Function *function) {
  device_lock(device);
  uint32_t registers = sm_thread_registers(&device->machine.config.sm, function);
  device_unlock(device);
  return registers;
}

uint32_t device_kernel_dynamic_shared(Device *device, DeviceKernel *kernel) {
  device_lock(device);
  uint32_t bytes = kernel->dynamic_shared_bytes;
  uint32_t most = device->machine.config.sm.shared_kb * 1024;
  uint32_t own = kernel->function ? kernel->function->static_shared_bytes : 0;
  if (most > SHARED_WITHOUT_ASKING) most = SHARED_WITHOUT_ASKING;
  if (!bytes && most > own) bytes = most - own;
  device_unlock(device);
  return bytes;
}

uint32_t device_kernel_architecture(Device *device, DeviceKernel *kernel) {
  device_lock(device);
  uint32_t own = image_architecture(kernel->module, device->machine.config.gpu.compute_capability);
  device_unlock(device);
  return own ? own : device_capability(device);
}

DeviceError device_kernel_occupancy(Device *device, DeviceKernel *kernel, uint32_t threads,
                                    uint64_t dynamic_shared_bytes, uint32_t *ctas) {
  device_lock(device);
  DeviceError error = kernel_ready(device, kernel);
  if (!error && (!threads || threads > MAX_CTA_THREADS || dynamic_shared_bytes > UINT32_MAX / 2))
    error = DEVICE_INVALID_VALUE;
  if (!error) {
    Launch launch = {.kernel = kernel->function,
                     .grid = {1, 1, 1},
                     .block = {threads, 1, 1},
                     .dynamic_shared_bytes = (uint32_t)dynamic_shared_bytes};
    *ctas = sm_max_ctas(&device->machine.config.sm, &launch);
  }
  device_unlock(device);
  return error;
}
