// SPDX-License-Identifier: MIT
// Kernel launches: checked and queued at the call; batches of them run when the host
// waits.
#include <string.h>

#include "base/memory.h"
#include "device/graphs/graph_state.h"
#include "device/memory/images.h"

enum { SHARED_WITHOUT_ASKING = 48 << 10, WORKSPACE_BYTES = 8 };

// ---- queueing

static DeviceError check_shape(const DeviceLaunch *wanted) {
  static const uint32_t max_grid[3] = {0x7fffffff, 65535, 65535};
  static const uint32_t max_block[3] = {1024, 1024, 64};
  for (int i = 0; i < 3; i++)
    if (!wanted->grid[i] || wanted->grid[i] > max_grid[i] || !wanted->block[i] ||
        wanted->block[i] > max_block[i])
      return DEVICE_INVALID_CONFIGURATION;
  uint64_t threads = (uint64_t)wanted->block[0] * wanted->block[1] * wanted->block[2];
  return threads > MAX_CTA_THREADS ? DEVICE_INVALID_CONFIGURATION : DEVICE_OK;
}

static DeviceError check_shared(const Device *device, const DeviceKernel *kernel,
                                uint64_t dynamic_bytes) {
  uint64_t most = (uint64_t)device->machine.config.sm.shared_kb * 1024;
  uint64_t unasked = most < SHARED_WITHOUT_ASKING ? most : SHARED_WITHOUT_ASKING;
  uint64_t whole = kernel->function->static_shared_bytes + dynamic_bytes;
  if (dynamic_bytes > most || whole > most) return DEVICE_INVALID_VALUE;
  return whole > unasked && dynamic_bytes > kernel->dynamic_shared_bytes ? DEVICE_INVALID_VALUE
                                                                         : DEVICE_OK;
}

// The registers of a kernel are an estimate, as no assembler was run: if they are too many
// for a single CTA, they are reduced to what a compiler would use for the CTA's size.
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

static DeviceError make_cooperative(Device *device, BoundLaunch *bound) {
  Error err;
  uint64_t room = (uint64_t)sm_max_ctas(&device->machine.config.sm, &bound->launch) *
                  device->machine.config.gpu.sm_count;
  if (launch_cta_count(&bound->launch) > room) return DEVICE_COOPERATIVE_TOO_LARGE;
  if (device_memory_alloc(device->engine.memory, WORKSPACE_BYTES, ALLOCATION_HEAP, "grid workspace",
                          &bound->workspace, &err) != OK)
    return DEVICE_OUT_OF_MEMORY;
  device_forget_allocations(device);
  bound->launch.workspace = bound->workspace;
  return DEVICE_OK;
}

static DeviceError bind(Device *device, const DeviceLaunch *wanted, BoundLaunch *bound) {
  DeviceKernel *kernel = wanted->kernel;
  const Function *function = kernel->function;
  Error err;
  DeviceError error = check_shared(device, kernel, wanted->dynamic_shared_bytes);
  if (error) return error;
  bound->params = memory_alloc(function->param_bytes + 1u);
  error = launch_pack(function, wanted, bound->params);
  if (error) return error;
  if (launch_init(&bound->launch, kernel->module->program, function, wanted->grid, wanted->block,
                  bound->params, (uint32_t)wanted->dynamic_shared_bytes,
                  device->machine.config.run.stack_bytes_per_thread, &err) != OK) {
    device_print(device, "%s", err.text);
    return DEVICE_OUT_OF_RESOURCES;
  }
  if (!sm_max_ctas(&device->machine.config.sm, &bound->launch))
    narrow_registers(device, kernel, &bound->launch);
  if (!device->run.spec.functional && !sm_max_ctas(&device->machine.config.sm, &bound->launch))
    return DEVICE_OUT_OF_RESOURCES;
  return wanted->is_cooperative ? make_cooperative(device, bound) : DEVICE_OK;
}

static DeviceError queue(Device *device, DeviceStream *stream, const DeviceLaunch *wanted) {
  DeviceError error = check_shape(wanted);
  if (!error) error = kernel_ready(device, wanted->kernel);
  if (error) return error;
  BoundLaunch bound = {0};
  error = bind(device, wanted, &bound);
  if (error) {
    memory_free(bound.params);
    return error;
  }
  bound.number = device->next_launch++;
  if (device->entry.progress) device->entry.progress->launched = device->next_launch;
  operation_add(device, stream, OPERATION_LAUNCH)->launch = bound;
  return DEVICE_OK;
}

DeviceError launch_queue(Device *device, DeviceStream *stream, const DeviceLaunch *wanted) {
  DeviceError error = queue(device, stream, wanted);
  if (error) launch_failed(device, wanted, error);
  return error;
}

static DeviceError find_stream(Device *device, const DeviceLaunch *wanted, DeviceStream **stream) {
  DeviceError error = device_ready(device);
  if (error) return error;
  if (!wanted->kernel) return DEVICE_INVALID_FUNCTION;
  *stream = stream_checked(device, wanted->stream);
  return *stream ? DEVICE_OK : DEVICE_INVALID_HANDLE;
}

DeviceError device_launch(Device *device, const DeviceLaunch *wanted) {
  DeviceStream *stream = NULL;
  device_lock(device);
  DeviceError error = find_stream(device, wanted, &stream);
  bool is_queued = stream && !stream->capture;  // launch_queue notes its own failures
  GraphWork work = {.kind = NODE_KERNEL, .launch = *wanted};
  if (!error) error = work_submit(device, stream, &work);
  if (error && !is_queued) launch_failed(device, wanted, error);
  device_unlock(device);
  return error;
}

// ---- running

static DeviceError fault_error(FaultKind kind) {
  switch (kind) {
    case FAULT_OUT_OF_BOUNDS:
    case FAULT_NULL_POINTER:
    case FAULT_USE_AFTER_FREE:
    case FAULT_READ_ONLY:
    case FAULT_BAD_TEXTURE: return DEVICE_ILLEGAL_ADDRESS;
    case FAULT_MISALIGNED: return DEVICE_MISALIGNED;
    case FAULT_ASSERT: return DEVICE_ASSERT;
    case FAULT_STACK_OVERFLOW: return DEVICE_STACK_ERROR;
    case FAULT_BAD_CALL: return DEVICE_INVALID_PC;
    case FAULT_HUNG_BARRIER: return DEVICE_LAUNCH_TIMEOUT;
    default: return DEVICE_LAUNCH_FAILURE;
  }
}

static DeviceError run_error(Status status, FaultKind kind) {
  switch (status) {
    case OK: return DEVICE_OK;
    case ERR_PROGRAM: return fault_error(kind);
    case ERR_DEADLOCK:
    case ERR_LIMIT:
    case ERR_INTERRUPTED: return DEVICE_LAUNCH_TIMEOUT;
    default: return DEVICE_UNKNOWN;
  }
}

static double to_nanoseconds(const Device *device, uint64_t cycles) {
  return (double)cycles * 1e3 / device->machine.config.gpu.core_clock_mhz;
}

// Kernels of one stream run in order, those of different streams concurrently.
DeviceError launches_run(Device *device, StreamOperation **operations, DeviceStream **streams,
                         uint32_t count, double begin) {
  Error err = {0};
  EngineLaunch *launches = memory_alloc(sizeof *launches * count);
  for (uint32_t i = 0; i < count; i++) {
    BoundLaunch *bound = &operations[i]->launch;
    bound->launch.origin.stream = streams[i]->id;
    bound->launch.origin.priority = streams[i]->priority;
    launches[i] = (EngineLaunch){.launch = &bound->launch, .number = bound->number};
  }
  device->engine.pending_launches = device->pending_launches;
  Status status = engine_run(&device->engine, launches, count, &err);
  for (uint32_t i = 0; i < count; i++)
    if (launches[i].ended) streams[i]->time = begin + to_nanoseconds(device, launches[i].ended);
  memory_free(launches);
  if (status == OK) return DEVICE_OK;
  device->failed_kernels += status == ERR_PROGRAM || status == ERR_DEADLOCK;
  device_fail(device, &err);
  return run_error(status, engine_fault(&device->engine));
}

// ---- attributes

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
