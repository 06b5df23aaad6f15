// SPDX-License-Identifier: MIT
// Option files of GPGPU-Sim, imported from text over the gtx480.
#ifndef UNIT_IMPORT_SUPPORT_H
#define UNIT_IMPORT_SUPPORT_H

#include <string.h>

#include "gpu/import/config_import.h"
#include "gpu/gpu.h"
#include "gpu/config/gpu_config.h"
#include "unit/cmocka_all.h"

typedef struct Imported {
  GpuConfig config;
  ParamSection sections[GPU_SECTION_COUNT + 1];
  ConfigImport import;
  Error err;
} Imported;

static inline void  imported_init(Imported *imported) {
  memset(imported, 0, sizeof *imported);
  assert_int_equal(gpu_config_load(&imported->config, "gtx480", &imported->err), OK);
  gpu_config_sections(&imported->config, imported->sections);
  config_import_init(&imported->import, imported->sections);
}

static inline Status  take(Imported *imported, const char *text) {
  Status status =
      config_import_text(&imported->import, "some.config", text, strlen(text), &imported->err);
  return status == OK ? config_import_apply(&imported->import, &imported->err) : status;
}

static inline void  import_text(Imported *imported, const char *text) {
  imported_init(imported);
  Status status = take(imported, text);
  if (status != OK) print_error("%s\n", imported->err.text);
  assert_int_equal(status, OK);
}

static inline bool  has_note(const Imported *imported, ImportNoteKind kind, const char *option,
                     const char *part) {
  for (size_t i = 0; i < imported->import.note_count; i++)
    if (imported->import.notes[i].kind == kind &&
        strcmp(imported->import.notes[i].option, option) == 0 &&
        strstr(imported->import.notes[i].text, part))
      return true;
  for (size_t i = 0; i < imported->import.note_count; i++)
    print_error("%s: %s\n", imported->import.notes[i].option, imported->import.notes[i].text);
  return false;
}

static inline size_t  count_kind(const Imported *imported, ImportNoteKind kind) {
  size_t count = 0;
  for (size_t i = 0; i < imported->import.note_count; i++)
    count += imported->import.notes[i].kind == kind;
  return count;
}

// The machine can be made.
static inline void  assert_runs(const Imported *imported) {
  Gpu *gpu;
  Error err = {0};
  Status status = gpu_create(&gpu, &imported->config, NULL, &err);
  if (status != OK) fail_msg("%s", err.text);
  gpu_destroy(gpu);
}

static inline void  assert_refused(const char *text, const char *part) {
  Imported imported;
  imported_init(&imported);
  assert_int_equal(take(&imported, text), ERR_SYNTAX);
  if (!strstr(imported.err.text, part)) print_error("%s\n", imported.err.text);
  assert_non_null(strstr(imported.err.text, part));
  config_import_clear(&imported.import);
}

#endif
