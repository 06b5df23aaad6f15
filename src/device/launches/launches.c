// SPDX-License-Identifier: MIT
// Kernel launches: checked, bound and queued at the call; they run when the host waits.
#include "device/graphs/graph_state.h"

static DeviceError queue(Device *device, DeviceStream *stream, const DeviceLaunch *wanted) {
  Launch *launch;
  DeviceError error = launch_bind(device, stream, wanted, &launch);
  if (error) return error;
  launch->number = device->next_launch++;
  if (device->entry.progress) device->entry.progress->launched = device->next_launch;
  StreamOperation *operation = operation_add(device, stream, OPERATION_LAUNCH);
  operation->launch = launch;
  operation->is_timed = engine_is_timed(&device->engine, launch);
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
