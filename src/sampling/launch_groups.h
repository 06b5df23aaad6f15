// SPDX-License-Identifier: MIT
// Sampling between kernels. A launch is projected from timed launches of the same kernel with the
// same launch configuration and the same predecessor:
//
//   from launches with the same features (launch_profile.h), within the error: by their mean cycles
//   per warp instruction; two of them at least;
//   else from launches with similar features, of a kernel that does more or less from launch to
//   launch: by a line through their cycles over warp instructions; five at least.
//
// They have to agree: the interval of the projected cycles may not be wider than the error.
//
// A launch that touches many times as many lines as the L2 holds overwrites what it finds there:
// for it the predecessor does not matter. The first launch of a shape may have been timed without a
// profile; it stands for large ones that execute exactly as many instructions.
#ifndef SAMPLING_LAUNCH_GROUPS_H
#define SAMPLING_LAUNCH_GROUPS_H

#include "sampling/launch_profile.h"
#include "sampling/wave_sampler.h"

typedef struct LaunchSignature {
  uint64_t key;               // a digest of what has to be equal
  uint64_t shape;             // of this, the kernel and its configuration
  bool is_large;              // it touches LARGE times as many lines as the L2 holds, or more
  double features[FEATURES];  // UNKNOWN_FEATURE without a profile, but for instructions
} LaunchSignature;

enum { LARGE = 8, UNKNOWN_FEATURE = -1 };

typedef struct TimedLaunch {
  LaunchSignature signature;
  double *values;  // by counter
  double *halves;  // of these, where part of it was projected
  double *each;    // of these, what is independent from launch to launch
} TimedLaunch;

// Zeroed, it is empty.
typedef struct LaunchGroups {
  size_t counter_count;
  TimedLaunch *launches;
  uint32_t count, capacity;
} LaunchGroups;

void launch_groups_clear(LaunchGroups *groups);

// A launch has been timed. part: the estimate of what was not, or NULL.
void launch_groups_add(LaunchGroups *groups, const LaunchSignature *signature,
                       const uint64_t *counters, const Estimate *part);

// Estimates a launch that was not timed; false if too few timed ones are like it, or they differ
// too much. The estimate is added to.
bool launch_groups_project(const LaunchGroups *groups, const LaunchSignature *signature,
                           double error, Estimate *estimate);

#endif
