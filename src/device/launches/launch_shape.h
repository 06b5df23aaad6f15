// SPDX-License-Identifier: MIT
// Another block shape for a launch (run.block): the same threads in other CTAs.
#ifndef DEVICE_LAUNCHES_LAUNCH_SHAPE_H
#define DEVICE_LAUNCHES_LAUNCH_SHAPE_H

#include "isa/launch.h"

// Changes grid and block to blocks of that shape, "32x8" or "32x8x1", where the launch allows it:
// a kernel without barriers, shared memory and required block size, and a number of threads in
// each dimension that the shape divides. Otherwise, or if `shape` is empty, they stay. Whether the
// kernel computes the same is for the caller to check: it may use its block index for other ends
// than to number its threads.
void launch_reshape(const Program *program, const Function *kernel, uint32_t dynamic_shared_bytes,
                    const char *shape, uint32_t grid[3], uint32_t block[3]);

#endif
