// SPDX-License-Identifier: MIT
// Contexts, and the current context of each thread. The driver API exposes them; the
// runtime API uses the primary context implicitly.
//
// Simplified: all contexts share the device's memory, its errors and its default stream.
// A context only owns objects, which are freed with it.
#ifndef DEVICE_CONTEXTS_H
#define DEVICE_CONTEXTS_H

#include "device/device.h"

enum { CONTEXT_LIMITS = 6, MAX_CURRENT_CONTEXTS = 64 };

// Freed only with its device, so that stale handles can be detected.
typedef struct DeviceContext {
  uint64_t id;
  uint32_t flags;
  uint32_t uses;  // 0: destroyed, or a primary one that nobody holds
  int cache_preference, shared_preference;
  uint64_t limits[CONTEXT_LIMITS];  // as requested; 0: default
  struct DeviceContext *next;
} DeviceContext;

// Before it every call of the driver API fails; the runtime API does it by itself.
DeviceError device_initialize(Device *device);
bool device_is_initialized(Device *device);

DeviceContext *device_context_create(Device *device, uint32_t flags);
DeviceContext *device_context_primary(Device *device);
void device_context_retain(Device *device, DeviceContext *context);
// Returns whether it has no more references; *is_last if no other context is left.
bool device_context_release(Device *device, DeviceContext *context, bool *is_last);
// Whether it is a context at all, and whether it is still held.
bool device_context_exists(Device *device, const DeviceContext *context);
bool device_context_is_alive(Device *device, const DeviceContext *context);

// ---- of the calling thread: a stack of contexts, the top one is current

DeviceContext *device_context_current(void);       // NULL: none
bool device_context_push(DeviceContext *context);  // false: too many
DeviceContext *device_context_pop(void);           // NULL: none
void device_context_set(DeviceContext *context);   // replaces the top; NULL takes it away

// Implicit initialisation of the runtime API: makes the primary context current in a
// thread that has none.
void device_context_use_primary(Device *device);

#endif
