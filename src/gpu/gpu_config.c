// SPDX-License-Identifier: MIT
// The defaults are small and harmless; the values of real machines stand in
// configs/, which is part of the program (base/embedded.h).
#include "gpu/gpu_config.h"

#include <string.h>

#include "base/closest.h"
#include "base/config_file.h"
#include "base/embedded.h"

static const Param chip_params[] = {
    PARAM_TEXT(ChipConfig, name, "unnamed", "what it is called in results"),
    PARAM(ChipConfig, sm_count, 1, 1, 1024, "streaming multiprocessors"),
    PARAM(ChipConfig, core_clock_mhz, 1000, 1, 100000, "clock of the SMs"),
    PARAM(ChipConfig, memory_mb, 1024, 1, 1 << 20, "device memory"),
    {0}};

static const Param sm_params[] = {
    PARAM(SmConfig, max_warps, 48, 1, 64, "warps that an SM holds"),
    PARAM(SmConfig, max_ctas, 8, 1, 64, "CTAs that an SM holds"),
    PARAM(SmConfig, registers, 32768, 1024, 1 << 20, "32-bit registers of an SM"),
    PARAM(SmConfig, shared_kb, 48, 0, 1024, "shared memory of an SM"),
    PARAM(SmConfig, warp_schedulers, 2, 1, 8, "warp schedulers of an SM"),
    {0}};

static const Param run_params[] = {
    PARAM(RunConfig, stack_bytes_per_thread, 16384, 256, 1 << 20,
          "stack where recursion or indirect calls leave it without a bound"),
    PARAM(RunConfig, max_instructions, 0, 0, UINT64_MAX / 2,
          "warp instructions after which a run stops; 0 = no limit"),
    PARAM(RunConfig, max_loops, 1000000, 1, UINT32_MAX,
          "times that the loops of a case file may go back"),
    {0}};

void gpu_config_sections(GpuConfig *config, ParamSection sections[GPU_SECTION_COUNT + 1]) {
#define X(name, Struct, table, summary) \
  sections[GPU_SECTION_##name] = (ParamSection){#name, summary, table, &config->name};
  GPU_SECTION_LIST(X)
#undef X
  sections[GPU_SECTION_COUNT] = (ParamSection){0};
}

static const char folder[] = "configs/", ending[] = ".cfg";

// "configs/tiny.cfg" is the GPU "tiny"; other embedded files are none.
static bool gpu_name(const EmbeddedFile *file, char out[GPU_NAME_BYTES]) {
  size_t length = strlen(file->name), around = sizeof folder - 1 + sizeof ending - 1;
  if (length <= around || length - around >= GPU_NAME_BYTES) return false;
  if (strncmp(file->name, folder, sizeof folder - 1) != 0) return false;
  if (strcmp(file->name + length - (sizeof ending - 1), ending) != 0) return false;
  memcpy(out, file->name + sizeof folder - 1, length - around);
  out[length - around] = '\0';
  return true;
}

const char *gpu_config_shipped(size_t index, char out[GPU_NAME_BYTES]) {
  for (const EmbeddedFile *file = embedded_files; file->name; file++)
    if (gpu_name(file, out) && index-- == 0) return out;
  return NULL;
}

static Status load_shipped(const ParamSection *sections, const char *gpu, Error *err) {
  char name[GPU_NAME_BYTES], best[GPU_NAME_BYTES] = "";
  Closest closest = closest_start(gpu);
  for (const EmbeddedFile *file = embedded_files; file->name; file++) {
    if (!gpu_name(file, name)) continue;
    if (strcmp(name, gpu) == 0)
      return config_text_read(sections, file->name, file->text, file->size_bytes, err);
    closest_offer(&closest, name);
    if (closest.best == name) closest.best = strcpy(best, name);
  }
  return error_set(err, ERR_CONFIG,
                   "unknown GPU '%.80s'%s%s%s (`heddle list gpus` names them; a path ends in .cfg)",
                   gpu, CLOSEST_HINT(closest));
}

static bool is_path(const char *gpu) {
  size_t length = strlen(gpu), tail = sizeof ending - 1;
  return strchr(gpu, '/') || (length > tail && strcmp(gpu + length - tail, ending) == 0);
}

Status gpu_config_load(GpuConfig *config, const char *gpu, Error *err) {
  ParamSection sections[GPU_SECTION_COUNT + 1];
  memset(config, 0, sizeof *config);
  gpu_config_sections(config, sections);
  param_set_defaults(sections);
  return is_path(gpu) ? config_file_read(sections, gpu, err) : load_shipped(sections, gpu, err);
}

Status gpu_config_assign(GpuConfig *config, const char *assignment, Error *err) {
  ParamSection sections[GPU_SECTION_COUNT + 1];
  gpu_config_sections(config, sections);
  return param_assign(sections, assignment, err);
}
