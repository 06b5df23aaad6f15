// SPDX-License-Identifier: MIT
// Who made what: things are given back when their context ends, and some are
// asked for the context or the flags that they were made with.
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

// Remembers what the current context made.
void object_add(ObjectKind kind, uint64_t handle, unsigned flags);
void object_remove(ObjectKind kind, uint64_t handle);
bool object_find(ObjectKind kind, uint64_t handle, Object *object);
// Gives back everything that the context made.
void objects_release(DeviceContext *context);
// After a reset of the device nothing is left to give back.
void objects_forget(void);

#endif
