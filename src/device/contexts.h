// SPDX-License-Identifier: MIT
// Contexts, and which of them is current in a thread. The driver API hands them
// out; the runtime API works in the primary one without naming it.
//
// Simplified: all contexts share the device's memory, its errors and its
// default stream. A context is a name under which things are made, so that they
// can be given back when it ends.
#ifndef DEVICE_CONTEXTS_H
#define DEVICE_CONTEXTS_H

#include "device/device.h"

enum { CONTEXT_LIMITS = 6, MAX_CURRENT_CONTEXTS = 64 };

// Freed only with its device: a handle that is no longer alive can be told.
typedef struct DeviceContext {
  uint64_t id;
  uint32_t flags;
  uint32_t uses;  // 0: destroyed, or a primary one that nobody holds
  int cache_preference, shared_preference;
  uint64_t limits[CONTEXT_LIMITS];  // as asked for; 0: never
  struct DeviceContext *next;
} DeviceContext;

// Before it every call of the driver API fails; the runtime API does it by itself.
DeviceError device_initialize(Device *device);
bool device_is_initialized(Device *device);

DeviceContext *device_context_create(Device *device, uint32_t flags);
DeviceContext *device_context_primary(Device *device);
void device_context_retain(Device *device, DeviceContext *context);
// True if nobody holds it any more; *is_last if there is no other either.
bool device_context_release(Device *device, DeviceContext *context, bool *is_last);
// Whether it is a context at all, and whether it is still held.
bool device_context_exists(Device *device, const DeviceContext *context);
bool device_context_is_alive(Device *device, const DeviceContext *context);

// ---- of the calling thread: a stack of contexts, the top one is current

DeviceContext *device_context_current(void);       // NULL: none
bool device_context_push(DeviceContext *context);  // false: too many
DeviceContext *device_context_pop(void);           // NULL: none
void device_context_set(DeviceContext *context);   // replaces the top; NULL takes it away

// What the runtime API does first: initialises, and makes the primary context
// current in a thread that has none.
void device_context_use_primary(Device *device);

#endif
