// SPDX-License-Identifier: MIT
// Handles of memory and events that a process passes on. Each process has a simulated GPU of its
// own, with its own time. Memory that is passed on has the bytes of a file that others map. An
// event of another process is one of ours: whoever records it has executed what stands before it.
#define _GNU_SOURCE  // memfd_create
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cudart/api.h"
#include "device/memory/pools.h"

// A handle has 64 bytes.
typedef struct IpcHandle {
  uint64_t mark;
  int64_t process;
  uint64_t object;  // address of memory, or an event
  uint64_t size_bytes;
  int64_t file;  // of the process
  uint64_t reserved[3];
} IpcHandle;

static const uint64_t memory_mark = 0x6d656d2e68656464, event_mark = 0x6576742e68656464;

static void fill_handle(IpcHandle *handle, uint64_t mark, uint64_t object) {
  *handle = (IpcHandle){.mark = mark, .process = getpid(), .object = object};
}

static bool is_own(const IpcHandle *handle) {
  return handle->process == getpid();
}

// The file of another process, or -1: none of ours, or it has ended.
static int open_file(const IpcHandle *handle) {
  static const char ours[] = "/memfd:heddle";
  char path[64], target[64] = "";
  struct stat found;
  snprintf(path, sizeof path, "/proc/%lld/fd/%lld", (long long)handle->process,
           (long long)handle->file);
  if (readlink(path, target, sizeof target - 1) < 0 || strncmp(target, ours, sizeof ours - 1) != 0)
    return -1;
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0 || (fstat(file, &found) == 0 && (uint64_t)found.st_size >= handle->size_bytes))
    return file;
  close(file);
  return -1;
}

static DeviceError import(const IpcHandle *handle, void **pointer) {
  uint64_t address;
  if (handle->mark != memory_mark) return DEVICE_INVALID_HANDLE;
  int file = open_file(handle);
  if (file < 0) return DEVICE_INVALID_HANDLE;
  DeviceError error = device_memory_import(api_device(), file, handle->size_bytes, &address);
  close(file);
  if (!error) *pointer = (void *)(uintptr_t)address;
  return error;
}

static DeviceError export(IpcHandle *handle, void *pointer) {
  DevicePointer found;
  int file;
  if (!handle || !device_pointer_find(api_device(), address_of(pointer), &found) || found.is_host)
    return DEVICE_INVALID_VALUE;
  DeviceError error = device_memory_export(api_device(), found.base, &file);
  fill_handle(handle, memory_mark, found.base);
  handle->size_bytes = found.size_bytes, handle->file = file;
  return error;
}

EXPORT int cudaIpcGetMemHandle(IpcHandle *handle, void *pointer) {
  return api_result(export(handle, pointer));
}

EXPORT int cudaIpcOpenMemHandle(void **pointer, IpcHandle handle, unsigned flags) {
  enum { LAZY_PEER_ACCESS = 1 };
  DevicePointer found;
  if (!pointer || flags != LAZY_PEER_ACCESS) return api_result(DEVICE_INVALID_VALUE);
  if (handle.mark != memory_mark) return api_result(DEVICE_INVALID_HANDLE);
  if (!is_own(&handle)) return api_result(import(&handle, pointer));
  if (!device_pointer_find(api_device(), handle.object, &found))
    return api_result(DEVICE_INVALID_HANDLE);
  *pointer = (void *)(uintptr_t)handle.object;
  return 0;
}

// In the exporter the allocation stays.
EXPORT int cudaIpcCloseMemHandle(void *pointer) {
  DevicePointer found;
  if (!device_pointer_find(api_device(), address_of(pointer), &found))
    return api_result(DEVICE_INVALID_VALUE);
  return api_result(found.is_imported ? device_free(api_device(), found.base) : DEVICE_OK);
}

EXPORT int cudaIpcGetEventHandle(IpcHandle *handle, DeviceEvent *event) {
  if (!handle || !device_event_share(api_device(), event)) return api_result(DEVICE_INVALID_HANDLE);
  fill_handle(handle, event_mark, address_of(event));
  return 0;
}

static DeviceError new_event(DeviceEvent **event) {
  DeviceError error = device_event_create(api_device(), false, event);
  if (!error) device_event_share(api_device(), *event);
  return error;
}

// In the exporter both are the same event; it ends when either is destroyed.
EXPORT int cudaIpcOpenEventHandle(DeviceEvent **event, IpcHandle handle) {
  if (!event) return api_result(DEVICE_INVALID_VALUE);
  if (handle.mark != event_mark) return api_result(DEVICE_INVALID_HANDLE);
  if (!is_own(&handle)) return api_result(new_event(event));
  DeviceEvent *found = (DeviceEvent *)(uintptr_t)handle.object;
  if (!device_event_exists(api_device(), found)) return api_result(DEVICE_INVALID_HANDLE);
  *event = found;
  return 0;
}

// ---- pools

enum { BY_FILE = 1 };

// The file stands for the pool; each pointer is passed on by itself.
EXPORT int cudaMemPoolExportToShareableHandle(int *file, DevicePool *pool, int type,
                                              unsigned flags) {
  if (!file || flags || type != BY_FILE || !device_pool_exists(api_device(), pool))
    return api_result(DEVICE_INVALID_VALUE);
  *file = memfd_create("heddle pool", MFD_CLOEXEC);
  return api_result(*file < 0 ? DEVICE_OUT_OF_MEMORY : DEVICE_OK);
}

EXPORT int cudaMemPoolImportFromShareableHandle(DevicePool **pool, void *file, int type,
                                                unsigned flags) {
  struct stat found;
  if (!pool || flags || type != BY_FILE || fstat((int)(intptr_t)file, &found) != 0)
    return api_result(DEVICE_INVALID_VALUE);
  return api_result(device_pool_create(api_device(), pool));
}

EXPORT int cudaMemPoolExportPointer(IpcHandle *handle, void *pointer) {
  return api_result(export(handle, pointer));
}

EXPORT int cudaMemPoolImportPointer(void **pointer, DevicePool *pool, const IpcHandle *handle) {
  if (!pointer || !handle || !device_pool_exists(api_device(), pool))
    return api_result(DEVICE_INVALID_VALUE);
  return api_result(import(handle, pointer));
}
