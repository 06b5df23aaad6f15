// SPDX-License-Identifier: MIT
// Texture and surface objects, and texture references.
#include <string.h>

#include "base/memory.h"
#include "device/state.h"

typedef struct TextureNote {
  uint64_t handle;  // key
  void *bytes;
  size_t size_bytes;
  UT_hash_handle hh;
} TextureNote;

// ---- notes

static TextureNote *find_note(Device *device, uint64_t handle) {
  TextureNote *note;
  HASH_FIND(hh, device->texture_notes, &handle, sizeof handle, note);
  return note;
}

static void drop_note(Device *device, TextureNote *note) {
  if (!note) return;
  HASH_DEL(device->texture_notes, note);
  memory_free(note->bytes);
  memory_free(note);
}

void texture_notes_clear(Device *device) {
  TextureNote *note, *next;
  HASH_ITER(hh, device->texture_notes, note, next) drop_note(device, note);
}

void device_texture_note(Device *device, uint64_t handle, const void *bytes, size_t size_bytes) {
  device_lock(device);
  drop_note(device, find_note(device, handle));
  TextureNote *note = memory_alloc(sizeof *note);
  note->handle = handle;
  note->size_bytes = size_bytes;
  note->bytes = memcpy(memory_alloc(size_bytes), bytes, size_bytes);
  HASH_ADD(hh, device->texture_notes, handle, sizeof note->handle, note);
  device_unlock(device);
}

DeviceError device_texture_noted(Device *device, uint64_t handle, void *bytes, size_t size_bytes) {
  device_lock(device);
  const TextureNote *note = find_note(device, handle);
  DeviceError error = !note                            ? DEVICE_INVALID_VALUE
                      : note->size_bytes != size_bytes ? DEVICE_NOT_SUPPORTED
                                                       : DEVICE_OK;
  if (!error) memcpy(bytes, note->bytes, size_bytes);
  device_unlock(device);
  return error;
}

// ---- objects

// Queued work must read the textures in their current state.
static DeviceError settle(Device *device) {
  DeviceError error = device_ready(device);
  return error ? error : device_execute(device);
}

DeviceError device_texture_create(Device *device, const Texture *texture, uint64_t *handle) {
  Error err = {0};
  device_lock(device);
  DeviceError error = settle(device);
  if (!error && texture_table_add(device->engine.textures, texture, handle, &err) != OK) {
    device_print(device, "%s", err.text);
    error = err.status == ERR_UNSUPPORTED ? DEVICE_NOT_SUPPORTED : DEVICE_INVALID_VALUE;
  }
  device_unlock(device);
  return error;
}

DeviceError device_texture_destroy(Device *device, uint64_t handle) {
  device_lock(device);
  DeviceError error = settle(device);
  if (!error && !texture_table_find(device->engine.textures, handle)) error = DEVICE_INVALID_VALUE;
  if (!error) {
    texture_table_remove(device->engine.textures, handle);
    drop_note(device, find_note(device, handle));
  }
  device_unlock(device);
  return error;
}

void device_texture_register(Device *device, DeviceModule *module, const void *host,
                             const char *name, bool normalized_values) {
  TextureReference *reference;
  device_lock(device);
  HASH_FIND_PTR(device->texture_references, &host, reference);
  if (!reference) {
    reference = memory_alloc(sizeof *reference);
    reference->host = host;
    reference->name = memory_alloc(strlen(name) + 1);
    strcpy(reference->name, name);
    reference->module = module;
    reference->normalized_values = normalized_values;
    HASH_ADD_PTR(device->texture_references, host, reference);
  }
  device_unlock(device);
}

static DeviceError bind(Device *device, const TextureReference *reference, const Texture *texture) {
  Error err = {0};
  DeviceError error = module_ready(device, reference->module);
  if (error) return error;
  const Variable *variable = program_find_variable(reference->module->program, reference->name);
  // A reference that no kernel reads may be missing from the PTX.
  if (!variable) return DEVICE_OK;
  if (!texture) {
    texture_table_remove(device->engine.textures, variable->address);
    return DEVICE_OK;
  }
  Texture bound = *texture;
  bound.normalized_values |= reference->normalized_values;
  if (texture_table_bind(device->engine.textures, variable->address, &bound, &err) == OK)
    return DEVICE_OK;
  device_print(device, "texture %s: %s", reference->name, err.text);
  return err.status == ERR_UNSUPPORTED ? DEVICE_NOT_SUPPORTED : DEVICE_INVALID_VALUE;
}

DeviceError device_texture_bind(Device *device, const void *host, const Texture *texture) {
  TextureReference *reference;
  device_lock(device);
  HASH_FIND_PTR(device->texture_references, &host, reference);
  DeviceError error = reference ? settle(device) : DEVICE_INVALID_TEXTURE;
  if (!error) error = bind(device, reference, texture);
  device_unlock(device);
  return error;
}
