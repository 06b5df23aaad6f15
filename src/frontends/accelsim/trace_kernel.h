// SPDX-License-Identifier: MIT
// A kernel of a trace, ready to be launched: its instructions as a program, and its warps' steps.
//
//   TraceKernel kernel = {0};
//   TRY(trace_kernel_load(&kernel, path, NULL, err));  // reads the whole file, in bounded memory
//   TRY(launch_init(&launch, kernel.made.program, ...)); launch.replay = &kernel.replay;
//   ... trace_kernel_clear(&kernel) when it has completed
#ifndef FRONTENDS_ACCELSIM_TRACE_KERNEL_H
#define FRONTENDS_ACCELSIM_TRACE_KERNEL_H

#include <signal.h>

#include "exec/replay.h"
#include "frontends/accelsim/sass_program.h"
#include "frontends/accelsim/trace_header.h"
#include "trace/page_set.h"
#include "trace/steps.h"

typedef struct TraceKernel {
  TraceHeader header;
  SassCode code;
  SassProgram made;
  Steps *steps;
  Replay replay;
  const volatile sig_atomic_t *stop;  // while it is loaded
  uint32_t warps_per_cta;
  uint64_t instructions;  // of warps
  uint64_t empty_warps;   // without instructions: they exit at once
  PageSet pages;          // of global memory
  Arena arena;
} TraceKernel;

// Zeroed before; clear it also after an error. stop: not NULL: reading ends soon when it becomes
// true.
Status trace_kernel_load(TraceKernel *kernel, const char *path, const volatile sig_atomic_t *stop,
                         Error *err);
// A header alone, for lists: whatever else the file holds.
Status trace_kernel_peek(TraceHeader *header, const char *path, Arena *arena, Error *err);
void trace_kernel_clear(TraceKernel *kernel);

#endif
