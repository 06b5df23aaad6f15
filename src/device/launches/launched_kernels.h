// SPDX-License-Identifier: MIT
// Names of the kernels that the host has launched, for a run in which --kernels selects some
// of them: what the selection did not match is reported with the names that exist.
#ifndef DEVICE_LAUNCHES_LAUNCHED_KERNELS_H
#define DEVICE_LAUNCHES_LAUNCHED_KERNELS_H

#include "run/kernel_choice.h"

typedef struct LaunchedKernel {
  Function function;  // of which only the name and the title are kept
  struct LaunchedKernel *next;
} LaunchedKernel;

// Zeroed, it is empty.
typedef struct LaunchedKernels {
  LaunchedKernel *first;  // in order of their first launch
  uint64_t launches;
} LaunchedKernels;

// Call for every launch of the host, in order. Copies the names into the arena.
void launched_kernels_note(LaunchedKernels *launched, const Function *kernel, Arena *arena);

// Items of the choice that select no launch, with the names of the kernels that were launched;
// NULL if every item selects one, or nothing was launched. *selects_none: no item selects one.
const char *launched_kernels_unmatched(const LaunchedKernels *launched, const KernelChoice *choice,
                                       bool *selects_none, Arena *arena);

#endif
