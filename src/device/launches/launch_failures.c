// SPDX-License-Identifier: MIT
// Launches that fail, and the errors that the APIs return for them. Most programs do not check
// for failures at the call, as with too many threads per CTA; without a message their results
// would only lack the kernel.
#include <inttypes.h>
#include <stdio.h>

#include "base/text/readable_name.h"
#include "device/state.h"

static const struct {
  DeviceError error;
  const char *name;
} names[] = {{DEVICE_INVALID_VALUE, "cudaErrorInvalidValue"},
             {DEVICE_OUT_OF_MEMORY, "cudaErrorMemoryAllocation"},
             {DEVICE_NOT_INITIALIZED, "cudaErrorInitializationError"},
             {DEVICE_INVALID_CONFIGURATION, "cudaErrorInvalidConfiguration"},
             {DEVICE_INVALID_FUNCTION, "cudaErrorInvalidDeviceFunction"},
             {DEVICE_INVALID_HANDLE, "cudaErrorInvalidResourceHandle"},
             {DEVICE_NO_KERNEL_IMAGE, "cudaErrorNoKernelImageForDevice"},
             {DEVICE_INVALID_PTX, "cudaErrorInvalidPtx"},
             {DEVICE_OUT_OF_RESOURCES, "cudaErrorLaunchOutOfResources"},
             {DEVICE_COOPERATIVE_TOO_LARGE, "cudaErrorCooperativeLaunchTooLarge"},
             {DEVICE_NOT_SUPPORTED, "cudaErrorNotSupported"}};

static const char *error_name(DeviceError error, char out[32]) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].error == error) return names[i].name;
  snprintf(out, 32, "error %d", (int)error);
  return out;
}

static const char *size_text(const uint32_t size[3], char out[48]) {
  int used = snprintf(out, 48, "%u", size[0]);
  if (size[1] != 1 || size[2] != 1) used += snprintf(out + used, 48 - (size_t)used, "x%u", size[1]);
  if (size[2] != 1) snprintf(out + used, 48 - (size_t)used, "x%u", size[2]);
  return out;
}

// What is wrong with the launch configuration, if that is the reason.
static void explain(const Device *device, const DeviceLaunch *wanted, DeviceError error, char *out,
                    size_t bytes) {
  uint64_t threads = (uint64_t)wanted->block[0] * wanted->block[1] * wanted->block[2];
  *out = '\0';
  if (error == DEVICE_INVALID_CONFIGURATION && threads > MAX_CTA_THREADS)
    snprintf(out, bytes, " (%" PRIu64 " threads per CTA, at most %d)", threads, MAX_CTA_THREADS);
  else if (error == DEVICE_INVALID_CONFIGURATION)
    snprintf(out, bytes, " (a dimension is 0 or too large)");
  else if (error == DEVICE_INVALID_VALUE && wanted->dynamic_shared_bytes)
    snprintf(out, bytes, " (%" PRIu64 " bytes of dynamic shared memory; %s has %u KB per SM)",
             (uint64_t)wanted->dynamic_shared_bytes, device->machine.config.gpu.name,
             device->machine.config.sm.shared_kb);
}

static void add(Device *device, const DeviceLaunch *wanted, DeviceError error, const char *kernel) {
  char name[32], grid[48], block[48], reason[160], text[512], one[512], first[512];
  const char *what = error_name(error, name);
  explain(device, wanted, error, reason, sizeof reason);
  snprintf(text, sizeof text, "launches of kernel %.200s failed with %s", kernel, what);
  snprintf(one, sizeof one, "launch of kernel %.200s failed with %s", kernel, what);
  snprintf(first, sizeof first, "%.200s<<<%s, %s>>>: %s%s", kernel, size_text(wanted->grid, grid),
           size_text(wanted->block, block), what, reason);
  if (!device->failed.count++) snprintf(device->failed.first, sizeof first, "%s", first);
  RunWarning warning = {
      .kind = "failed_launches", .text = text, .one = one, .detail = first, .count = 1};
  bool is_new = run_result_warn(&device->result, &warning);
  // heddle run reports them when the program has exited.
  if (is_new && !device->run.spec.report) device_print(device, "warning: launch failed: %s", first);
}

// The run lacks what the child wanted to compute; its parent may not notice.
static void refuse_fork(Device *device) {
  Error err;
  if (device->failed.count++) return;
  device_print(
      device,
      "a child of fork cannot launch kernels if its parent has used the GPU before: "
      "cudaErrorInitializationError; call fork before the first CUDA call, or exec after fork");
  if (!device->run.spec.report) return;
  if (report_folder_register(&device->entry, device->run.spec.report, &err) == OK)
    device->entry.progress->is_fork = 1;
}

void device_launch_failed(Device *device, const DeviceLaunch *wanted, DeviceError error) {
  device_config(device);  // so that there are results
  device_lock(device);
  launch_failed(device, wanted, error);
  device_unlock(device);
}

void launch_failed(Device *device, const DeviceLaunch *wanted, DeviceError error) {
  Arena arena = {0};
  if (device->is_fork) {
    refuse_fork(device);
    return;
  }
  // After a failure that has been reported, every call fails.
  if (device->broken || device->sticky) return;
  add(device, wanted, error,
      wanted->kernel ? readable_name(&arena, wanted->kernel->name) : "(unknown)");
  arena_clear(&arena);
}

// ---- while it runs

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

DeviceError launch_error(Status status, FaultKind kind) {
  switch (status) {
    case OK: return DEVICE_OK;
    case ERR_PROGRAM: return fault_error(kind);
    case ERR_DEADLOCK:
    case ERR_LIMIT:
    case ERR_INTERRUPTED: return DEVICE_LAUNCH_TIMEOUT;
    default: return DEVICE_UNKNOWN;
  }
}
