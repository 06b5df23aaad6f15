// SPDX-License-Identifier: MIT
// Which context owns an object; objects are destroyed with their context.
#include "cudadriver/objects.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "cudadriver/texture_references.h"

typedef struct ObjectKey {
  uint64_t handle, kind;
} ObjectKey;

typedef struct Entry {
  ObjectKey key;
  Object object;
  UT_hash_handle hh;
} Entry;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static Entry *entries;

static Entry *find(ObjectKind kind, uint64_t handle) {
  ObjectKey key = {handle, kind};
  Entry *entry;
  HASH_FIND(hh, entries, &key, sizeof key, entry);
  return entry;
}

static void drop(Entry *entry) {
  HASH_DEL(entries, entry);
  free(entry);
}

void object_add(ObjectKind kind, uint64_t handle, unsigned flags) {
  Entry *entry = calloc(1, sizeof *entry);
  if (!entry) return;  // then it lives until the device is reset
  entry->key = (ObjectKey){handle, kind};
  entry->object = (Object){handle, kind, flags, device_context_current()};
  pthread_mutex_lock(&mutex);
  Entry *before = find(kind, handle);
  if (before) drop(before);
  HASH_ADD(hh, entries, key, sizeof entry->key, entry);
  pthread_mutex_unlock(&mutex);
}

void object_remove(ObjectKind kind, uint64_t handle) {
  pthread_mutex_lock(&mutex);
  Entry *entry = find(kind, handle);
  if (entry) drop(entry);
  pthread_mutex_unlock(&mutex);
}

bool object_find(ObjectKind kind, uint64_t handle, Object *object) {
  pthread_mutex_lock(&mutex);
  const Entry *entry = find(kind, handle);
  if (entry) *object = entry->object;
  pthread_mutex_unlock(&mutex);
  return entry;
}

static void *pointer_to(uint64_t handle) {
  return (void *)(uintptr_t)handle;
}

static void give_back(const Object *object) {
  void *pointer = pointer_to(object->handle);
  switch (object->kind) {
    case OBJECT_MANAGED:
    case OBJECT_MEMORY: device_free(api_device(), object->handle); break;
    case OBJECT_HOST_MEMORY: device_host_free(api_device(), pointer, HOST_PINNED); break;
    case OBJECT_REGISTERED: device_host_unregister(api_device(), pointer); break;
    case OBJECT_STREAM: device_stream_destroy(api_device(), pointer); break;
    case OBJECT_EVENT: device_event_destroy(api_device(), pointer); break;
    case OBJECT_ARRAY: device_array_destroy(api_device(), pointer); break;
    case OBJECT_MIPMAPS: device_mipmaps_destroy(api_device(), pointer); break;
    case OBJECT_TEXTURE: device_texture_destroy(api_device(), object->handle); break;
    case OBJECT_MODULE:
      texture_references_forget(pointer);
      device_module_unload(api_device(), pointer);
      break;
  }
}

// One at a time: giving back may wait for work that calls into this library.
static bool take_one(const DeviceContext *context, Object *object) {
  pthread_mutex_lock(&mutex);
  Entry *entry = entries;
  while (entry && entry->object.context != context) entry = entry->hh.next;
  bool found = entry;
  if (found) {
    *object = entry->object;
    drop(entry);
  }
  pthread_mutex_unlock(&mutex);
  return found;
}

void objects_release(DeviceContext *context) {
  Object object;
  while (take_one(context, &object)) give_back(&object);
}

void objects_forget(void) {
  Entry *entry, *next;
  pthread_mutex_lock(&mutex);
  HASH_ITER(hh, entries, entry, next) {
    if (entry->object.kind == OBJECT_MODULE) continue;
    drop(entry);
  }
  pthread_mutex_unlock(&mutex);
}
