// SPDX-License-Identifier: MIT
// Texture references of the driver API: settings collected call by call, bound when complete.
#include "cudadriver/texture_references.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cudadriver/textures.h"

typedef enum Source { SOURCE_NONE, SOURCE_ARRAY, SOURCE_MEMORY, SOURCE_ROWS } Source;

struct CUtexref_st {
  DeviceModule *module;  // NULL: a program's own, which no kernel reads
  char *name;
  CUarray_format format;
  unsigned channels, flags;
  CUaddress_mode modes[3];
  CUfilter_mode filter;
  Source source;
  CUarray array;
  CUdeviceptr pointer;
  size_t bytes, pitch;
  CUDA_ARRAY_DESCRIPTOR rows;
  CUtexref next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static CUtexref references;

// ---- making and finding; with the mutex

static CUtexref add(DeviceModule *module, const char *name) {
  CUtexref added = calloc(1, sizeof *added);
  char *copy = added ? strdup(name) : NULL;
  if (!copy) {
    free(added);
    return NULL;
  }
  *added = (struct CUtexref_st){.module = module,
                                .name = copy,
                                .format = CU_AD_FORMAT_FLOAT,
                                .channels = 1,
                                .next = references};
  for (int d = 0; d < 3; d++) added->modes[d] = CU_TR_ADDRESS_MODE_CLAMP;
  return references = added;
}

static bool exists(CUtexref reference) {
  CUtexref it = references;
  while (it && it != reference) it = it->next;
  return it;
}

static void drop(CUtexref reference) {
  CUtexref *at = &references;
  while (*at != reference) at = &(*at)->next;
  *at = reference->next;
  free(reference->name);
  free(reference);
}

CUresult texture_reference_in_module(CUtexref *reference, DeviceModule *module, const char *name) {
  pthread_mutex_lock(&mutex);
  CUtexref found = references;
  while (found && (found->module != module || strcmp(found->name, name) != 0)) found = found->next;
  if (!found) {
    found = add(module, name);
    if (found) device_texture_register(api_device(), module, found, name, false);
  }
  pthread_mutex_unlock(&mutex);
  *reference = found;
  return found ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

void texture_references_forget(const DeviceModule *module) {
  pthread_mutex_lock(&mutex);
  for (CUtexref it = references, next; it; it = next) {
    next = it->next;
    if (it->module == module) drop(it);
  }
  pthread_mutex_unlock(&mutex);
}

// ---- binding

static CUresult bind(CUtexref reference, const struct CUtexref_st *it) {
  Texture texture = {0};
  if (!it->module || it->source == SOURCE_NONE) return CUDA_SUCCESS;
  if (it->source == SOURCE_ARRAY)
    NEED(texture_use_array(&texture, it->array));
  else if (it->source == SOURCE_MEMORY)
    NEED(texture_use_memory(&texture, it->pointer, it->bytes, it->format, it->channels));
  else
    NEED(texture_use_rows(&texture, it->pointer, &it->rows, it->pitch));
  NEED(texture_set_up(&texture, it->modes, it->filter, it->flags));
  return api_result(device_texture_bind(api_device(), reference, &texture));
}

static CUresult begin(CUtexref reference) {
  NEED_CONTEXT();
  pthread_mutex_lock(&mutex);
  if (exists(reference)) return CUDA_SUCCESS;
  pthread_mutex_unlock(&mutex);
  return CUDA_ERROR_INVALID_HANDLE;
}

// Binding happens without the mutex: it may wait for callbacks of the program.
static CUresult end(CUtexref reference) {
  struct CUtexref_st settings = *reference;
  pthread_mutex_unlock(&mutex);
  return bind(reference, &settings);
}

static CUresult done(void) {
  pthread_mutex_unlock(&mutex);
  return CUDA_SUCCESS;
}

static CUresult wrong(void) {
  pthread_mutex_unlock(&mutex);
  return CUDA_ERROR_INVALID_VALUE;
}

// ---- settings

EXPORT CUresult cuTexRefSetArray(CUtexref reference, CUarray array, unsigned flags) {
  NEED(begin(reference));
  if (flags != CU_TRSA_OVERRIDE_FORMAT) return wrong();
  reference->source = SOURCE_ARRAY;
  reference->array = array;
  return end(reference);
}

EXPORT CUresult cuTexRefSetAddress_v2(size_t *offset, CUtexref reference, CUdeviceptr pointer,
                                      size_t bytes) {
  NEED(begin(reference));
  reference->source = SOURCE_MEMORY;
  reference->pointer = pointer;
  reference->bytes = bytes;
  if (offset) *offset = 0;  // any address will do
  return end(reference);
}

EXPORT CUresult cuTexRefSetAddress2D_v3(CUtexref reference, const CUDA_ARRAY_DESCRIPTOR *rows,
                                        CUdeviceptr pointer, size_t pitch) {
  NEED(begin(reference));
  if (!rows) return wrong();
  reference->source = SOURCE_ROWS;
  reference->pointer = pointer;
  reference->rows = *rows;
  reference->pitch = pitch;
  return end(reference);
}

EXPORT CUresult cuTexRefSetAddress2D_v2(CUtexref reference, const CUDA_ARRAY_DESCRIPTOR *rows,
                                        CUdeviceptr pointer, size_t pitch) {
  return cuTexRefSetAddress2D_v3(reference, rows, pointer, pitch);
}

EXPORT CUresult cuTexRefSetFormat(CUtexref reference, CUarray_format format, int channels) {
  uint8_t bits[TEXTURE_CHANNELS];
  TextureChannel channel;
  NEED(begin(reference));
  if (!api_channels(format, (unsigned)channels, bits, &channel)) return wrong();
  reference->format = format;
  reference->channels = (unsigned)channels;
  return end(reference);
}

EXPORT CUresult cuTexRefSetAddressMode(CUtexref reference, int dimension, CUaddress_mode mode) {
  NEED(begin(reference));
  if (dimension < 0 || dimension > 2 || (unsigned)mode > CU_TR_ADDRESS_MODE_BORDER) return wrong();
  reference->modes[dimension] = mode;
  return end(reference);
}

EXPORT CUresult cuTexRefSetFilterMode(CUtexref reference, CUfilter_mode mode) {
  NEED(begin(reference));
  if ((unsigned)mode > CU_TR_FILTER_MODE_LINEAR) return wrong();
  reference->filter = mode;
  return end(reference);
}

EXPORT CUresult cuTexRefSetFlags(CUtexref reference, unsigned flags) {
  NEED(begin(reference));
  reference->flags = flags;
  return end(reference);
}

// Textures have one level: anisotropy and mipmaps cannot matter.
EXPORT CUresult cuTexRefSetMaxAnisotropy(CUtexref reference, unsigned most) {
  (void)most;
  NEED(begin(reference));
  return done();
}

// ---- asking

EXPORT CUresult cuTexRefGetArray(CUarray *array, CUtexref reference) {
  NEED(begin(reference));
  if (!array || reference->source != SOURCE_ARRAY) return wrong();
  *array = reference->array;
  return done();
}

EXPORT CUresult cuTexRefGetAddress_v2(CUdeviceptr *pointer, CUtexref reference) {
  NEED(begin(reference));
  if (!pointer || reference->source < SOURCE_MEMORY) return wrong();
  *pointer = reference->pointer;
  return done();
}

EXPORT CUresult cuTexRefGetAddressMode(CUaddress_mode *mode, CUtexref reference, int dimension) {
  NEED(begin(reference));
  if (!mode || dimension < 0 || dimension > 2) return wrong();
  *mode = reference->modes[dimension];
  return done();
}

EXPORT CUresult cuTexRefGetFilterMode(CUfilter_mode *mode, CUtexref reference) {
  NEED(begin(reference));
  if (!mode) return wrong();
  *mode = reference->filter;
  return done();
}

EXPORT CUresult cuTexRefGetFormat(CUarray_format *format, int *channels, CUtexref reference) {
  NEED(begin(reference));
  if (format) *format = reference->format;
  if (channels) *channels = (int)reference->channels;
  return done();
}

EXPORT CUresult cuTexRefGetFlags(unsigned *flags, CUtexref reference) {
  NEED(begin(reference));
  if (!flags) return wrong();
  *flags = reference->flags;
  return done();
}

// ---- references that belong to no module

EXPORT CUresult cuTexRefCreate(CUtexref *reference) {
  NEED_CONTEXT();
  NEED_VALUE(reference);
  pthread_mutex_lock(&mutex);
  *reference = add(NULL, "");
  pthread_mutex_unlock(&mutex);
  return *reference ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

EXPORT CUresult cuTexRefDestroy(CUtexref reference) {
  NEED(begin(reference));
  if (reference->module) return wrong();
  drop(reference);
  return done();
}

// The reference was bound when it was set.
EXPORT CUresult cuParamSetTexRef(CUfunction function, int unit, CUtexref reference) {
  NEED(begin(reference));
  if (unit != CU_PARAM_TR_DEFAULT || !kernel_of(function)) return wrong();
  return done();
}
