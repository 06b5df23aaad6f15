// SPDX-License-Identifier: MIT
// Launches at the beginning of a program that are executed without time: a number of them, or until
// so many warp instructions have been executed. When timing begins, their latest accesses warm the
// L2. The state at that point can be kept in a file, and a later run can begin with it: it does not
// execute these launches again.
#ifndef DEVICE_LAUNCHES_FORWARDING_H
#define DEVICE_LAUNCHES_FORWARDING_H

#include "device/launches/checkpoint.h"
#include "gpu/gpu.h"

// Zeroed: every launch is timed. The texts outlive the engine.
typedef struct ForwardOptions {
  uint64_t launches;                 // of the host
  uint64_t instructions;             // warp instructions; launches that begin before are not timed
  const char *checkpoint, *restore;  // files; NULL: none
} ForwardOptions;

typedef struct Forwarding {
  ForwardOptions options;
  bool is_over;        // a launch is timed
  bool host_has_read;  // results of launches, before that
  CheckpointState state;
  FILE *file;  // of a checkpoint that is to be restored, behind its head
} Forwarding;

// Opens the checkpoint, if one is to be restored.
Status forwarding_begin(Forwarding *forwarding, const ForwardOptions *options, Error *err);
void forwarding_clear(Forwarding *forwarding);

// Whether the launch comes before timing begins; executed: warp instructions so far.
bool forwarding_holds(const Forwarding *forwarding, const Launch *launch, uint64_t executed);
// Whether such launches are in the checkpoint, and are not executed.
bool forwarding_restores(const Forwarding *forwarding);
// Such a launch is executed, or is in the checkpoint.
void forwarding_launch(Forwarding *forwarding, const Launch *launch);
void forwarding_access(Forwarding *forwarding, const MemoryAccess *access);

// Timing begins: restores and writes checkpoints, warms the L2. Once.
Status forwarding_end(Forwarding *forwarding, Gpu *gpu, uint64_t executed, Error *err);

// Why a run that has ended never came to time anything, or NULL. In the arena.
const char *forwarding_complaint(const Forwarding *forwarding, uint64_t launches, Arena *arena);

#endif
