// SPDX-License-Identifier: MIT
// The configuration of a GPU: one struct a section, one table a struct.
//
// To add a section, write its struct and its Param table and name both in
// GPU_SECTION_LIST; files, --set, listings and results then know it.
#ifndef GPU_GPU_CONFIG_H
#define GPU_GPU_CONFIG_H

#include "base/param.h"

// [gpu]
typedef struct ChipConfig {
  char name[64];
  uint32_t sm_count;
  uint32_t core_clock_mhz;
  uint32_t memory_mb;
} ChipConfig;

// [sm]
typedef struct SmConfig {
  uint32_t max_warps;
  uint32_t max_ctas;
  uint32_t registers;  // of 32 bits
  uint32_t shared_kb;
  uint32_t warp_schedulers;
} SmConfig;

// [run]
typedef struct RunConfig {
  uint32_t stack_bytes_per_thread;
  uint64_t max_instructions;
  uint32_t max_loops;
} RunConfig;

// section and field, struct, table, summary
#define GPU_SECTION_LIST(X)                                  \
  X(gpu, ChipConfig, chip_params, "the whole chip")          \
  X(sm, SmConfig, sm_params, "one streaming multiprocessor") \
  X(run, RunConfig, run_params, "limits of a run")

typedef struct GpuConfig {
#define X(name, Struct, table, summary) Struct name;
  GPU_SECTION_LIST(X)
#undef X
} GpuConfig;

enum {
#define X(name, Struct, table, summary) GPU_SECTION_##name,
  GPU_SECTION_LIST(X)
#undef X
      GPU_SECTION_COUNT
};

// The sections of a configuration, ready for the functions of base/param.h.
// They point into config. The last one is {0}.
void gpu_config_sections(GpuConfig *config, ParamSection sections[GPU_SECTION_COUNT + 1]);

// Defaults, then a GPU by the name of a shipped one ("gtx480") or by the path
// of a file (anything with a '/' or ending in ".cfg").
Status gpu_config_load(GpuConfig *config, const char *gpu, Error *err);
// "section.key=value"
Status gpu_config_assign(GpuConfig *config, const char *assignment, Error *err);

// The shipped GPUs by index; NULL behind the last. The name is copied to out.
enum { GPU_NAME_BYTES = 64 };
const char *gpu_config_shipped(size_t index, char out[GPU_NAME_BYTES]);

#define GPU_DEFAULT "gtx480"

#endif
