// SPDX-License-Identifier: MIT
// Whether a launch can run on the configured GPU, as the APIs check it at the call.
#include "device/state.h"

DeviceError launch_check_shape(const DeviceLaunch *wanted) {
  for (int i = 0; i < 3; i++)
    if (!wanted->grid[i] || wanted->grid[i] > launch_max_grid[i] || !wanted->block[i] ||
        wanted->block[i] > launch_max_block[i])
      return DEVICE_INVALID_CONFIGURATION;
  uint64_t threads = (uint64_t)wanted->block[0] * wanted->block[1] * wanted->block[2];
  return threads > MAX_CTA_THREADS ? DEVICE_INVALID_CONFIGURATION : DEVICE_OK;
}

DeviceError launch_check_shared(const Device *device, const DeviceKernel *kernel,
                                uint64_t dynamic_bytes) {
  uint64_t most = (uint64_t)device->machine.config.sm.shared_kb * 1024;
  uint64_t unasked = most < SHARED_WITHOUT_ASKING ? most : SHARED_WITHOUT_ASKING;
  uint64_t whole = kernel->function->static_shared_bytes + dynamic_bytes;
  if (dynamic_bytes > most || whole > most) return DEVICE_INVALID_VALUE;
  return whole > unasked && dynamic_bytes > kernel->dynamic_shared_bytes ? DEVICE_INVALID_VALUE
                                                                         : DEVICE_OK;
}

// The registers of a kernel are an estimate, unless the program has machine code for the GPU or
// another of its major number: if they are too many for a single CTA, they are reduced to what a
// compiler would use for the CTA's size. (Of those that ptxas counted too, where a real GPU refuses
// the launch.)
static void narrow_registers(Device *device, DeviceKernel *kernel, const Launch *launch) {
  const SmConfig *sm = &device->machine.config.sm;
  Function *function = &kernel->module->program->functions[kernel->function->index];
  uint32_t before = function->registers;
  while (function->registers > sm->register_granularity && !sm_max_ctas(sm, launch))
    function->registers -= sm->register_granularity;
  if (!sm_max_ctas(sm, launch)) {
    function->registers = before;
    return;
  }
  if (before == function->registers || kernel->was_narrowed) return;
  kernel->was_narrowed = true;
  device_print(device,
               "kernel %s: %u registers per thread leave no room for a CTA of %u threads on %s; "
               "running with %u",
               function_title(function), before, launch_threads_per_cta(launch),
               device->machine.config.gpu.name, function->registers);
}

// Functional execution needs no resources.
DeviceError launch_check_room(Device *device, DeviceKernel *kernel, const Launch *launch) {
  const SmConfig *sm = &device->machine.config.sm;
  if (!sm_max_ctas(sm, launch)) narrow_registers(device, kernel, launch);
  return device->run.spec.functional || sm_max_ctas(sm, launch) ? DEVICE_OK
                                                                : DEVICE_OUT_OF_RESOURCES;
}
