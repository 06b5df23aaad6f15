// SPDX-License-Identifier: MIT
// Functional execution for the sampler: the pass before a launch, and what warms caches.
#ifndef DEVICE_LAUNCHES_SAMPLER_PASS_H
#define DEVICE_LAUNCHES_SAMPLER_PASS_H

#include "device/launches/sampler.h"

// Executes the launch, profiles it and logs what it changes. False: it failed, and memory is as
// before.
bool sampler_pass(Sampler *sampler, const Launch *launch);
// The same without a profile, several times as fast, of a launch that should do as many warp and
// thread instructions as `features` has. False also if it does not.
bool sampler_pass_again(Sampler *sampler, const Launch *launch, const double features[FEATURES]);
// The latest accesses of a profile go to the L2.
void sampler_pass_warm_l2(Gpu *gpu, const LaunchProfile *profile);
// Lanes that access global memory.
uint32_t sampler_pass_global_lanes(const MemoryAccess *access);
// CTAs of the profiled launch until the L2 is as full as it will be, and writes back as much: those
// that touch twice the lines it holds. 0 if it holds all of the launch's.
uint64_t sampler_pass_start_up(const Sampler *sampler);
// Whether a launch of that footprint overwrites what it finds in the L2.
bool sampler_pass_is_large(const Sampler *sampler, double footprint);
// CTAs are left out: the last of them are executed for their accesses, which go to L1Ds and L2.
void sampler_pass_warm(Sampler *sampler, uint64_t first, uint64_t count);

#endif
