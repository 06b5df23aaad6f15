// SPDX-License-Identifier: MIT
// Registers the relocatable device code of a whole program as one binary.
//
// Each object announces itself by a function named after it, which a source that
// `heddle cc` writes defines with HEDDLE_LINKED_MODULE. The last one of HEDDLE_MODULES
// registers a wrapper of version 2 that lists all of them; the runtime links the PTX. The
// order of linking does not matter, and objects in archives are linked, because their own
// wrappers are referred to.
#ifndef HEDDLE_DEVICE_LINK_H
#define HEDDLE_DEVICE_LINK_H

#include <stdlib.h>

typedef struct HeddleWrapper {
  int magic, version;
  const void *data;
  const void *const *more;
} HeddleWrapper;

typedef struct HeddleModule {
  void (*announce)(void **handle);
  const HeddleWrapper *wrapper;
  struct HeddleModule *next;
} HeddleModule;

void **__cudaRegisterFatBinary(const HeddleWrapper *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);

static HeddleModule *heddle_modules;
static int heddle_module_count;
static void **heddle_handle;

// A container with nothing in it, for readers that look at `data` first.
static const unsigned int heddle_empty_binary[] = {0xBA55ED50u, 0x00100001u, 0, 0};
static HeddleWrapper heddle_wrapper = {0x466243b1, 2, heddle_empty_binary, NULL};

static void heddle_unregister(void) {
  __cudaUnregisterFatBinary(heddle_handle);
}

static void heddle_register(void) {
  const void **binaries = calloc((size_t)heddle_module_count + 1, sizeof *binaries);
  int count = heddle_module_count;
  if (!binaries || !count) return;
  for (HeddleModule *module = heddle_modules; module; module = module->next)
    binaries[--count] = module->wrapper->data;
  heddle_wrapper.more = binaries;
  heddle_handle = __cudaRegisterFatBinary(&heddle_wrapper);
  for (HeddleModule *module = heddle_modules; module; module = module->next)
    module->announce(heddle_handle);
  __cudaRegisterFatBinaryEnd(heddle_handle);
  atexit(heddle_unregister);
}

#define HEDDLE_LINKED_MODULE(id)                                                             \
  extern const HeddleWrapper __fatbinwrap##id;                                               \
  void __cudaRegisterLinkedBinary##id(void (*announce)(void **), const HeddleWrapper *given, \
                                      const char *name, void (*unused)(void *)) {            \
    static HeddleModule module;                                                              \
    (void)given, (void)name, (void)unused;                                                   \
    module = (HeddleModule){announce, &__fatbinwrap##id, heddle_modules};                    \
    heddle_modules = &module;                                                                \
    if (++heddle_module_count == HEDDLE_MODULES) heddle_register();                          \
  }

#endif
