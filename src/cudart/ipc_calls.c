// SPDX-License-Identifier: MIT
// Handles of memory and events that a process passes on, opened in the same process. Each process
// has a simulated GPU of its own: handles of another one are refused.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cudart/api.h"

// A handle has 64 bytes.
typedef struct IpcHandle {
  uint64_t mark;
  int64_t process;
  uint64_t object;  // address of memory, or an event
  uint64_t reserved[5];
} IpcHandle;

static const uint64_t memory_mark = 0x6d656d2e68656464, event_mark = 0x6576742e68656464;

static void fill_handle(IpcHandle *handle, uint64_t mark, uint64_t object) {
  *handle = (IpcHandle){.mark = mark, .process = getpid(), .object = object};
}

static DeviceError check_handle(const IpcHandle *handle, uint64_t mark) {
  if (handle->mark != mark) return DEVICE_INVALID_HANDLE;
  return handle->process == getpid()
             ? DEVICE_OK
             : (DeviceError)api_unsupported("sharing of memory and events between processes");
}

EXPORT int cudaIpcGetMemHandle(IpcHandle *handle, void *pointer) {
  DevicePointer found;
  if (!handle || !device_pointer_find(api_device(), address_of(pointer), &found) || found.is_host)
    return api_result(DEVICE_INVALID_VALUE);
  fill_handle(handle, memory_mark, found.base);
  return 0;
}

EXPORT int cudaIpcOpenMemHandle(void **pointer, IpcHandle handle, unsigned flags) {
  enum { LAZY_PEER_ACCESS = 1 };
  DevicePointer found;
  if (!pointer || flags != LAZY_PEER_ACCESS) return api_result(DEVICE_INVALID_VALUE);
  DeviceError error = check_handle(&handle, memory_mark);
  if (!error && !device_pointer_find(api_device(), handle.object, &found))
    error = DEVICE_INVALID_HANDLE;
  if (!error) *pointer = (void *)(uintptr_t)handle.object;
  return api_result(error);
}

// The allocation stays: it is the exporter's.
EXPORT int cudaIpcCloseMemHandle(void *pointer) {
  DevicePointer found;
  bool is_open = device_pointer_find(api_device(), address_of(pointer), &found);
  return api_result(is_open ? DEVICE_OK : DEVICE_INVALID_VALUE);
}

EXPORT int cudaIpcGetEventHandle(IpcHandle *handle, DeviceEvent *event) {
  if (!handle || !device_event_exists(api_device(), event))
    return api_result(DEVICE_INVALID_HANDLE);
  fill_handle(handle, event_mark, address_of(event));
  return 0;
}

// Both are the same event; it ends when either is destroyed.
EXPORT int cudaIpcOpenEventHandle(DeviceEvent **event, IpcHandle handle) {
  if (!event) return api_result(DEVICE_INVALID_VALUE);
  DeviceError error = check_handle(&handle, event_mark);
  DeviceEvent *found = (DeviceEvent *)(uintptr_t)handle.object;
  if (!error && !device_event_exists(api_device(), found)) error = DEVICE_INVALID_HANDLE;
  if (!error) *event = found;
  return api_result(error);
}
