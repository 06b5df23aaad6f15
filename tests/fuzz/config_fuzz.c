// SPDX-License-Identifier: MIT
// Random configuration files: one that is taken is printed and read again to the
// same configuration, and a GPU is made of it or refused with a reason.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/config_file.h"
#include "gpu/gpu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Sectioned {
  GpuConfig config;
  ParamSection sections[GPU_SECTION_COUNT + 1];
} Sectioned;

static void start(Sectioned *sectioned) {
  memset(sectioned, 0, sizeof *sectioned);
  gpu_config_sections(&sectioned->config, sectioned->sections);
  param_set_defaults(sectioned->sections);
}

static char *print(const Sectioned *sectioned, size_t *length) {
  char *text = NULL;
  FILE *file = open_memstream(&text, length);
  param_print(sectioned->sections, file);
  fclose(file);
  return text;
}

static void check_printed(const Sectioned *read) {
  static Sectioned again;
  Error err;
  size_t length, again_length;
  char *text = print(read, &length);
  start(&again);
  if (config_text_read(again.sections, "printed.cfg", text, length, &err) != OK) abort();
  char *again_text = print(&again, &again_length);
  if (strcmp(text, again_text) != 0) abort();
  free(text);
  free(again_text);
}

static bool is_small(const GpuConfig *config) {
  const CacheConfig *caches[] = {&config->l1d, &config->l1i, &config->l1c, &config->l1t,
                                 &config->l2};
  for (int i = 0; i < 5; i++)
    if (caches[i]->size_kb > 1024 || (uint64_t)caches[i]->sets * caches[i]->ways > 8192)
      return false;
  return config->gpu.sm_count <= 16 && config->gpu.channels <= 16;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Sectioned read;
  Error err;
  err.text[0] = '\0';
  start(&read);
  if (config_text_read(read.sections, "fuzz.cfg", (const char *)data, size, &err) != OK) {
    if (strncmp(err.text, "fuzz.cfg", 8) != 0) abort();
    return 0;
  }
  check_printed(&read);
  if (!is_small(&read.config)) return 0;
  Gpu *gpu;
  err.text[0] = '\0';
  if (gpu_create(&gpu, &read.config, &(GpuOptions){0}, &err) == OK)
    gpu_destroy(gpu);
  else if (!err.text[0])
    abort();
  return 0;
}
