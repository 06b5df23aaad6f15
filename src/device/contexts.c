// SPDX-License-Identifier: MIT
// Contexts and the stack of current contexts of each thread.
#include "device/contexts.h"

#include "base/memory.h"
#include "device/state.h"

static _Thread_local struct {
  DeviceContext *contexts[MAX_CURRENT_CONTEXTS];
  uint32_t depth;
} current;

DeviceError device_initialize(Device *device) {
  bool is_configured = device_config(device) != NULL;
  device_lock(device);
  device->is_initialized |= is_configured;
  device_unlock(device);
  return is_configured ? DEVICE_OK : DEVICE_NOT_INITIALIZED;
}

bool device_is_initialized(Device *device) {
  device_lock(device);
  bool is_initialized = device->is_initialized;
  device_unlock(device);
  return is_initialized;
}

static DeviceContext *add_context(Device *device) {
  DeviceContext *context = memory_alloc(sizeof *context);
  context->id = ++device->next_context_id;
  context->next = device->contexts;
  return device->contexts = context;
}

static DeviceContext *primary(Device *device) {
  if (!device->primary) device->primary = add_context(device);
  return device->primary;
}

DeviceContext *device_context_create(Device *device, uint32_t flags) {
  device_lock(device);
  DeviceContext *context = add_context(device);
  context->flags = flags;
  context->uses = 1;
  device_unlock(device);
  return context;
}

DeviceContext *device_context_primary(Device *device) {
  device_lock(device);
  DeviceContext *context = primary(device);
  device_unlock(device);
  return context;
}

void device_context_retain(Device *device, DeviceContext *context) {
  device_lock(device);
  context->uses++;
  device_unlock(device);
}

bool device_context_release(Device *device, DeviceContext *context, bool *is_last) {
  device_lock(device);
  bool was_held = context->uses > 0;
  if (was_held) context->uses--;
  bool is_over = was_held && !context->uses;
  *is_last = is_over;
  for (const DeviceContext *other = device->contexts; other; other = other->next)
    if (other->uses) *is_last = false;
  if (context == device->primary && is_over) device->runtime_holds_primary = false;
  device_unlock(device);
  return is_over;
}

static bool is_known(const Device *device, const DeviceContext *context) {
  const DeviceContext *it = device->contexts;
  while (it && it != context) it = it->next;
  return it;
}

bool device_context_exists(Device *device, const DeviceContext *context) {
  device_lock(device);
  bool exists = is_known(device, context);
  device_unlock(device);
  return exists;
}

bool device_context_is_alive(Device *device, const DeviceContext *context) {
  device_lock(device);
  bool is_alive = is_known(device, context) && context->uses;
  device_unlock(device);
  return is_alive;
}

void contexts_reset(Device *device) {
  if (device->primary && device->runtime_holds_primary) device->primary->uses--;
  device->runtime_holds_primary = false;
}

void contexts_clear(Device *device) {
  while (device->contexts) {
    DeviceContext *next = device->contexts->next;
    memory_free(device->contexts);
    device->contexts = next;
  }
}

// ---- of the calling thread

DeviceContext *device_context_current(void) {
  return current.depth ? current.contexts[current.depth - 1] : NULL;
}

bool device_context_push(DeviceContext *context) {
  if (current.depth == MAX_CURRENT_CONTEXTS) return false;
  current.contexts[current.depth++] = context;
  return true;
}

DeviceContext *device_context_pop(void) {
  return current.depth ? current.contexts[--current.depth] : NULL;
}

void device_context_set(DeviceContext *context) {
  device_context_pop();
  if (context) device_context_push(context);
}

void device_context_use_primary(Device *device) {
  device_lock(device);
  DeviceContext *context = device_context_current();
  if (!context) device_context_push(context = primary(device));
  if (context == device->primary && !device->runtime_holds_primary) {
    device->is_initialized = true;
    device->runtime_holds_primary = true;
    context->uses++;
  }
  device_unlock(device);
}
