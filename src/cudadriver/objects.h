// SPDX-License-Identifier: MIT
// Ownership of objects: they are freed with their context, and some can be queried for
// their context or creation flags.
#ifndef CUDADRIVER_OBJECTS_H
#define CUDADRIVER_OBJECTS_H

#include "cudadriver/api.h"

typedef enum ObjectKind {
  OBJECT_MEMORY,
  OBJECT_HOST_MEMORY,
  OBJECT_MANAGED,
  OBJECT_REGISTERED,
  OBJECT_STREAM,
  OBJECT_EVENT,
  OBJECT_ARRAY,
  OBJECT_MIPMAPS,
  OBJECT_TEXTURE,
  OBJECT_MODULE,
} ObjectKind;

typedef struct Object {
  uint64_t handle;
  ObjectKind kind;
  unsigned flags;
  DeviceContext *context;
} Object;

// Records an object of the current context.
void object_add(ObjectKind kind, uint64_t handle, unsigned flags);
void object_remove(ObjectKind kind, uint64_t handle);
bool object_find(ObjectKind kind, uint64_t handle, Object *object);
// Gives back everything that the context made.
void objects_release(DeviceContext *context);
// Drops all records: a reset of the device has freed the objects.
void objects_forget(void);

#endif
