// SPDX-License-Identifier: MIT
// The state of a device between launches, in a file: contents of all allocations, and the latest
// accesses, which warm caches. The host is not in it: a run that restores the state executes the
// host's program from the beginning, which makes the same calls and so the same allocations; the
// launches before the checkpoint are left out.
//
// Refused where the host may know results of these launches: it has copied some, or shares memory
// with the device.
#ifndef DEVICE_LAUNCHES_CHECKPOINT_H
#define DEVICE_LAUNCHES_CHECKPOINT_H

#include <stdio.h>

#include "exec/memory/device_memory.h"
#include "sampling/launch_profile.h"

typedef struct CheckpointState {
  uint64_t digest;        // of the launches before it: kernels, configurations, parameters
  uint64_t launches;      // how many
  uint64_t instructions;  // warp instructions that they executed
  LaunchProfile profile;  // of which only the touches are kept
} CheckpointState;

Status checkpoint_write(const CheckpointState *state, const DeviceMemory *memory, const char *path,
                        Error *err);

// Reads the head: after how many launches it was made.
Status checkpoint_open(FILE **file, const char *path, uint64_t *launches, Error *err);
// The launches before it have been made: memory gets its contents, the state the accesses. They and
// the allocations have to be those that it was made with.
Status checkpoint_read(CheckpointState *state, DeviceMemory *memory, FILE *file, const char *path,
                       Error *err);

#endif
