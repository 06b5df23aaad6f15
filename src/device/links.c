// SPDX-License-Identifier: MIT
// Linking for the driver API: texts are collected, linked once as a check, and returned as
// one image.
#include <string.h>

#include "base/memory.h"
#include "device/memory/images.h"

struct DeviceLink {
  uint8_t *image;  // a LinkedImage and texts
  size_t bytes, capacity;
};

static void append(DeviceLink *link, const void *bytes, size_t count) {
  if (link->bytes + count > link->capacity) {
    link->capacity = (link->bytes + count) * 2;
    link->image = memory_resize(link->image, link->capacity);
  }
  memcpy(link->image + link->bytes, bytes, count);
  link->bytes += count;
}

static LinkedImage *header(DeviceLink *link) {
  return (LinkedImage *)(void *)link->image;
}

DeviceLink *device_link_create(void) {
  DeviceLink *link = memory_alloc(sizeof *link);
  append(link, &(LinkedImage){.magic = LINKED_IMAGE_MAGIC}, sizeof(LinkedImage));
  return link;
}

static void append_text(DeviceLink *link, const PtxText *text) {
  uint64_t length = text->length;
  append(link, &length, sizeof length);
  append(link, text->text, text->length);
  append(link, "\0\0\0\0\0\0\0", 8 - text->length % 8);
  header(link)->count++;
}

DeviceError device_link_add(Device *device, DeviceLink *link, const void *image, Error *log) {
  const GpuConfig *config = device_config(device);
  DeviceModule part = {0};
  Error err = {0};
  if (!config) return DEVICE_NOT_INITIALIZED;
  DeviceError error = image_take(&part, image, &err);
  TextList *list = text_list_create();
  if (!error) error = image_error(image_texts(&part, config->gpu.compute_capability, list, &err));
  for (uint32_t i = 0; i < list->count && !error; i++) append_text(link, &list->texts[i]);
  text_list_destroy(list);
  image_clear(&part);
  if (log) *log = err;
  return error;
}

DeviceError device_link_complete(DeviceLink *link, const void **image, size_t *bytes, Error *log) {
  Error err = {0};
  Program *program = NULL;
  DeviceModule whole = {.linked = header(link)};
  header(link)->bytes = link->bytes;
  TextList *list = text_list_create();
  DeviceError error = image_error(image_texts(&whole, 0, list, &err));
  if (!error)
    error = text_error(ptx_load_texts(&program, list->texts, list->count, PROGRAM_BASE, &err));
  program_destroy(program);
  text_list_destroy(list);
  if (log) *log = err;
  *image = link->image;
  *bytes = link->bytes;
  return error;
}

void device_link_destroy(DeviceLink *link) {
  memory_free(link->image);
  memory_free(link);
}
