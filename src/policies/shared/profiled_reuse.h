// SPDX-License-Identifier: MIT
// Reuse ratios that are known in advance, from a recorded run (policies/reuse_profile.h): what
// the schedulers of the limit study share (Tang et al., SIGMETRICS 2018, section 5).
//
// The part follows the tree of launches and finds each kernel's place in the recorded one. A
// run that launches something else, in name, grid, block or number, ends with an error: ratios
// of another tree would mean nothing. With strict=false such kernels are unknown, and counted.
//
// A profile of a sample of lines or units has shorter chains and fewer ratios than the program: it
// is refused, unless sampled=true.
//
// Without a file nothing is known, and the policies that work on this decide as the default
// ones do.
#ifndef POLICIES_SHARED_PROFILED_REUSE_H
#define POLICIES_SHARED_PROFILED_REUSE_H

#include "policies/reuse_profile.h"
#include "policies/shared/shared.h"

// The input (PolicySetup.inputs) that `heddle run` records for the run that follows.
#define PROFILED_REUSE_RECORDED "recorded"

typedef struct ProfiledReuse {
  char file[POLICY_SPEC_BYTES];  // parameters
  bool strict, sampled;
  ReuseProfile profile;
  Error *failure;
  uint32_t *taken;      // by position in profile.by_place of a thread's first launch: seen so far
  uint32_t *children;   // by index: kernels that it launched so far
  uint32_t host_count;  // kernels of the host so far
  uint32_t *of_kernel, kernel_count, kernel_capacity;  // index by number
  uint32_t *of_launch;                                 // index by number of the launch
  uint64_t launch_count, launch_capacity;
  uint64_t known, unknown;
} ProfiledReuse;

// Hooks of the part, also for parts that keep one themselves (laser_truth.c).
Status profiled_init(void *state, const PolicySetup *setup, Error *err);
void profiled_clear(void *state);
void profiled_on_child_launch(void *state, const ChildLaunchView *child);
void profiled_on_launch(void *state, const KernelView *kernel);

// Index of a kernel in the profile, or PROFILE_NONE.
uint32_t profiled_kernel(const ProfiledReuse *reuse, uint32_t kernel);
// Of kernels by their numbers, in millionths; 0: not high, or not known.
uint32_t profiled_ratio(const ProfiledReuse *reuse, uint32_t kernel, uint32_t other);
ProfiledCta profiled_cta(const ProfiledReuse *reuse, uint32_t kernel, uint64_t cta);

#endif
