// SPDX-License-Identifier: MIT
// Random traces of Accel-Sim, compressed or not: a kernel whose warps can be replayed to their end,
// or a clear error.
#include <stdlib.h>

#include "frontends/accelsim/trace_kernel.h"
#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Grids of many warps are valid, and take their time.
enum { MOST_CTAS = 4096, MOST_STEPS = 1 << 20 };

static void replay(const TraceKernel *kernel) {
  const uint32_t *grid = kernel->header.grid;
  uint64_t ctas = (uint64_t)grid[0] * grid[1] * grid[2], steps = 0;
  for (uint64_t cta = 0; cta < ctas && cta < MOST_CTAS; cta++)
    for (uint32_t w = 0; w < kernel->warps_per_cta; w++) {
      ReplayStep step;
      void *warp = kernel->replay.open(kernel->replay.self, cta, w);
      while (kernel->replay.next(warp, &step) && steps++ < MOST_STEPS)
        if (step.pc >= kernel->made.program->code_count) abort();
      kernel->replay.close(warp);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  TraceKernel kernel = {0};
  Error err = {0};
  Status status = trace_kernel_load(&kernel, fuzz_file(data, size), NULL, &err);
  if (status == OK)
    replay(&kernel);
  else if (!err.text[0])
    abort();
  trace_kernel_clear(&kernel);
  return 0;
}
