// SPDX-License-Identifier: MIT
// kernelslist.g: the commands of a traced program, in order. Lines other than copies to the device
// and kernels are ignored, as Accel-Sim does.
#ifndef FRONTENDS_ACCELSIM_KERNELS_LIST_H
#define FRONTENDS_ACCELSIM_KERNELS_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

typedef struct TraceCommand {
  const char *kernel;            // path of its trace; NULL: a copy to the device
  uint64_t address, size_bytes;  // of a copy
} TraceCommand;

typedef struct KernelsList {
  TraceCommand *commands;
  uint32_t count, kernel_count;
} KernelsList;

// Paths of kernels are relative to the list's folder. A single kernel's trace is a list of one.
// Everything lives in the arena.
Status kernels_list_read(KernelsList *list, const char *path, Arena *arena, Error *err);

// Whether a path is named as these files are: kernelslist*, or ending in .traceg or .tracez,
// perhaps with .xz, .gz or .zst behind it; or as a recording of Heddle, which is a list of itself.
bool kernels_list_is_name(const char *path);

#endif
