// SPDX-License-Identifier: MIT
// Random option files of GPGPU-Sim: what is taken is written as a file of ours,
// which can be read.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/config_file.h"
#include "gpu/import/config_import.h"
#include "gpu/config/gpu_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_printed(const ConfigImport *import) {
  static GpuConfig config;
  ParamSection sections[GPU_SECTION_COUNT + 1];
  Error err;
  char *text = NULL;
  size_t length;
  FILE *file = open_memstream(&text, &length);
  config_import_print(import, file);
  fclose(file);
  gpu_config_sections(&config, sections);
  param_set_defaults(sections);
  if (config_text_read(sections, "printed.cfg", text, length, &err) != OK) {
    fprintf(stderr, "%s\n", err.text);
    abort();
  }
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static GpuConfig gtx480, config;
  Error err;
  if (!gtx480.gpu.sm_count && gpu_config_load(&gtx480, "gtx480", &err) != OK) abort();
  config = gtx480;
  ParamSection sections[GPU_SECTION_COUNT + 1];
  ConfigImport import;
  gpu_config_sections(&config, sections);
  config_import_init(&import, sections);
  err.text[0] = '\0';
  Status status = config_import_text(&import, "fuzz.config", (const char *)data, size, &err);
  if (status == OK) status = config_import_apply(&import, &err);
  if (status == OK)
    check_printed(&import);
  else if (!err.text[0])
    abort();
  config_import_clear(&import);
  return 0;
}
