// SPDX-License-Identifier: MIT
// The note for code that was built for a much newer GPU than the default one.
#include "gpu/config/default_gpu.h"

#include <stdio.h>

enum { FIRST_NOTED = 70, NAMES_BYTES = 256 };

static uint32_t capability_of(const char *gpu) {
  GpuConfig config;
  Error ignored;
  return gpu_config_load(&config, gpu, &ignored) == OK ? config.gpu.compute_capability : 0;
}

// The newest architecture of a shipped GPU that is not newer than this one.
static uint32_t nearest_capability(uint32_t architecture) {
  char name[GPU_NAME_BYTES];
  uint32_t best = 0;
  for (size_t i = 0; gpu_config_shipped(i, name); i++) {
    uint32_t own = capability_of(name);
    if (own <= architecture && own > best) best = own;
  }
  return best;
}

static void list_gpus(uint32_t capability, char names[NAMES_BYTES]) {
  char name[GPU_NAME_BYTES];
  size_t used = 0;
  names[0] = '\0';
  for (size_t i = 0; gpu_config_shipped(i, name); i++)
    if (capability_of(name) == capability && used < NAMES_BYTES)
      used += (size_t)snprintf(names + used, NAMES_BYTES - used, "%s--gpu %s", used ? " or " : "",
                               name);
}

const char *default_gpu_note(const GpuConfig *config, uint32_t architecture,
                             char out[DEFAULT_GPU_NOTE_BYTES]) {
  char names[NAMES_BYTES];
  if (architecture < FIRST_NOTED || architecture <= config->gpu.compute_capability) return NULL;
  uint32_t nearest = nearest_capability(architecture);
  list_gpus(nearest, names);
  snprintf(out, DEFAULT_GPU_NOTE_BYTES,
           "note: built for sm_%u, simulated on the default GPU, %s (sm_%u); %s simulates %ssm_%u",
           architecture, config->gpu.name, config->gpu.compute_capability, names,
           nearest == architecture ? "" : "the nearest GPU, ", nearest);
  return out;
}
