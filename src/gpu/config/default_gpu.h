// SPDX-License-Identifier: MIT
// A note for people who chose no GPU and run code that was built for a much newer one than the
// default: which GPU is simulated, and which ones have the architecture of the code.
#ifndef GPU_CONFIG_DEFAULT_GPU_H
#define GPU_CONFIG_DEFAULT_GPU_H

#include "gpu/config/gpu_config.h"

enum { DEFAULT_GPU_NOTE_BYTES = 512 };

// architecture: 80 for sm_80. Returns NULL if the GPU is as new, or the code is older than sm_70:
// what `heddle cc` and nvcc build for older GPUs is usually meant for all of them. Otherwise out.
const char *default_gpu_note(const GpuConfig *config, uint32_t architecture,
                             char out[DEFAULT_GPU_NOTE_BYTES]);

#endif
