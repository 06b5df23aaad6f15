// SPDX-License-Identifier: MIT
// What device code comes in: PTX text, a fat binary, a wrapper around one or
// several, or what device_link_complete made. All become PTX texts.
//
//   linked image   u32 magic  u32 texts  u64 bytes of all
//   text           u64 length, then the text and zeros up to a multiple of 8
#ifndef DEVICE_MEMORY_IMAGES_H
#define DEVICE_MEMORY_IMAGES_H

#include "device/state.h"
#include "frontends/ptx/link/load.h"

enum { MAX_LINKED = 4096 };  // texts of one module

typedef struct TextList {
  PtxText texts[MAX_LINKED];
  bool is_own[MAX_LINKED];  // freed with the list
  uint32_t count;
} TextList;

TextList *text_list_create(void);
void text_list_destroy(TextList *list);

#define LINKED_IMAGE_MAGIC 0x4b4c4448u

typedef struct LinkedImage {
  uint32_t magic, count;
  uint64_t bytes;
} LinkedImage;

// Copies an image into the module; reports an error if it is not a valid image.
DeviceError image_take(DeviceModule *module, const void *image, Error *err);
// Gives back what image_take took.
void image_clear(DeviceModule *module);
// The texts of a module for a GPU of that compute capability. They stay valid as
// long as list and module.
Status image_texts(const DeviceModule *module, uint32_t capability, TextList *list, Error *err);
// Gives the kernels of the module's program the registers that ptxas counted, where the module
// has machine code for a GPU of that compute capability, or of its major number
// (fatbin_code_architecture); of a later one, which a driver would not load, at most `enough`, with
// which an SM holds all its threads, or the estimate. Without it, and of damaged code, none.
void image_take_registers(const DeviceModule *module, uint32_t capability, uint32_t enough);
// The number after `.target sm_` in the first lines of PTX; 0 if there is none.
uint32_t ptx_text_architecture(const char *text);
// Target architecture of the module's PTX; of several linked texts the oldest, because
// NVIDIA's device runtime is always of the newest. 0: unknown.
uint32_t image_architecture(const DeviceModule *module, uint32_t capability);

// What both APIs call a failure of image_texts, and one of loading the texts.
DeviceError image_error(Status status);
DeviceError text_error(Status status);

#endif
