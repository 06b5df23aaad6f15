// SPDX-License-Identifier: MIT
// Kernels of bench/microbenchmarks, run on a machine.
//
// A kernel is a PTX file with three abbreviations: INSTRUCTION (or LOAD, ACCESS) stands for what
// is measured; a line that ends with `// xN` is there N times; a line with `#` is there eight
// times, with the numbers 1 to 8 in its place. OFFSET# is the number's offset from the first.
#ifndef SUPPORT_MICROBENCHMARK_H
#define SUPPORT_MICROBENCHMARK_H

#include "gpu/gpu.h"

enum { MICRO_CHAINS = 8, MICRO_RING_MOST = 1 << 16 };

typedef struct MicroRun {
  const char *kernel;    // name of the file without its ending
  const char *measured;  // for INSTRUCTION, LOAD or ACCESS; lines are separated by '\n'
  uint32_t ctas, threads;
  uint32_t count, step;  // the kernel's
  uint32_t bytes, shift;
  uint64_t data_bytes;  // of the buffer `data`
  bool is_texture;      // the kernel gets `data` as a texture of 32-bit words
  uint32_t channels;    // or as an array of 32 x 32 texels of so many of them
  // A ring of pointers in it: so many of them, so far apart, or anywhere (stride 0).
  uint32_t ring_count, ring_stride;
} MicroRun;

typedef struct MicroResult {
  uint64_t cycles;  // of the kernel
  uint32_t clocks;  // what it wrote to the first word of `out`
} MicroResult;

// folder: bench/microbenchmarks.
Status micro_run(const char *folder, const GpuConfig *config, const MicroRun *run,
                 MicroResult *result, Error *err);

#endif
