// SPDX-License-Identifier: MIT
// The sampler's functional pass over a launch, and the warming of caches.
#include "device/launches/sampler_pass.h"

#include <string.h>

#include "functional/functional.h"

uint32_t sampler_pass_global_lanes(const MemoryAccess *access) {
  if (access->space != SPACE_GLOBAL && access->space != SPACE_GENERIC) return 0;
  return access->mask & ~(access->generic_shared | access->generic_local);
}

static void profile_access(void *self, const Warp *warp, const MemoryAccess *access) {
  Sampler *sampler = self;
  uint32_t lanes = sampler_pass_global_lanes(access);
  (void)warp;
  if (lanes)
    launch_profile_global(&sampler->profile, access->address, lanes, access->bytes, access->write);
  else if (access->space == SPACE_SHARED || access->generic_shared)
    launch_profile_shared(&sampler->profile);
}

static bool is_cached(void *gpu, uint64_t address) {
  return gpu_l2_holds(gpu, address);
}

static void profile_cta(void *self, uint64_t cta, uint64_t warp_instructions) {
  launch_profile_cta(&((Sampler *)self)->profile, cta, warp_instructions);
}

static FunctionalOptions options_of(Sampler *sampler, const Launch *launch) {
  uint32_t ctas = sm_max_ctas(&sampler->config->sm, launch);
  return (FunctionalOptions){.sm_count = sampler->config->gpu.sm_count,
                             .ctas_per_sm = ctas ? ctas : 1,
                             .stop = sampler->stop,
                             .self = sampler};
}

// On a copy of the record. What goes wrong is found again where it is reported: when the launch is
// timed.
static Status execute(Sampler *sampler, Launch *copy, const FunctionalOptions *options) {
  Error err = {0};
  ExecContext *context = sampler->context;
  sampler->stores.before = page_log_note_store;
  sampler->stores.before_self = &sampler->log;
  context->stores = &sampler->stores;
  Status status = functional_run(context, copy, options, &err);
  sampler->stores.count = 0;
  context->stores = NULL;
  context->fault = (Fault){0};
  return status;
}

static bool go_back(Sampler *sampler) {
  page_log_swap(&sampler->log);
  page_log_end(&sampler->log);
  return false;
}

bool sampler_pass(Sampler *sampler, const Launch *launch) {
  Launch copy = *launch;
  FunctionalOptions options = options_of(sampler, launch);
  options.is_independent = sampler->is_independent;
  options.accessed = profile_access;
  options.cta_completed = profile_cta;
  sampler->profile.is_cached = is_cached;
  sampler->profile.is_cached_self = sampler->gpu;
  launch_profile_begin(&sampler->profile, launch_cta_count(launch));
  page_log_begin(&sampler->log, sampler->context->memory);
  if (execute(sampler, &copy, &options) == OK) {
    launch_profile_end(&sampler->profile, copy.thread_instructions);
    return true;
  }
  return go_back(sampler);
}

bool sampler_pass_again(Sampler *sampler, const Launch *launch, const double features[FEATURES]) {
  Launch copy = *launch;
  FunctionalOptions options = options_of(sampler, launch);
  options.is_independent = sampler->is_independent;
  page_log_begin(&sampler->log, sampler->context->memory);
  if (execute(sampler, &copy, &options) != OK ||
      (double)copy.warp_instructions != features[FEATURE_WARP_INSTRUCTIONS] ||
      (double)copy.thread_instructions != features[FEATURE_THREAD_INSTRUCTIONS])
    return go_back(sampler);
  memcpy(sampler->profile.features, features, sizeof sampler->profile.features);
  return true;
}

void sampler_pass_warm_l2(Gpu *gpu, const LaunchProfile *profile) {
  for (uint64_t i = launch_profile_first(profile); i < profile->touch_count; i++) {
    const LineTouch *touch = launch_profile_touch(profile, i);
    gpu_warm(gpu, &(GpuWarmAccess){.line = touch->address,
                                   .sectors = touch->sectors,
                                   .full = touch->full,
                                   .is_write = touch->is_write,
                                   .sm = UINT32_MAX});
  }
}

// ---- inside a kernel

static void warm_access(void *self, const Warp *warp, const MemoryAccess *access) {
  Sampler *sampler = self;
  TouchedLine lines[TOUCHED_MAX_LINES];
  uint32_t lanes = sampler_pass_global_lanes(access);
  if (!lanes) return;
  uint32_t count = touched_lines(access->address, lanes, access->bytes, lines);
  for (uint32_t i = 0; i < count; i++)
    gpu_warm(sampler->gpu, &(GpuWarmAccess){.line = lines[i].address,
                                            .sectors = lines[i].sectors,
                                            .full = lines[i].full,
                                            .is_write = access->write,
                                            .is_atomic = access->atomic,
                                            .sm = sampler->context->sm_id,
                                            .cta = warp->cta->linear});
}

static double l2_lines(const GpuConfig *config) {
  uint32_t sets = 0, ways = 0;
  Error err;
  if (config->l2.enabled && cache_geometry(&config->l2, &sets, &ways, &err) != OK) return 0;
  return (double)sets * ways * config->gpu.channels * config->gpu.slices_per_channel;
}

// CTAs that touch as many lines as the L2 holds twice, and a wave of them at least.
static uint64_t stretch_of(const Sampler *sampler) {
  const LaunchProfile *profile = &sampler->profile;
  double lines = 2 * l2_lines(sampler->config);
  double touches = (profile->features[FEATURE_READS] + profile->features[FEATURE_WRITES]) /
                   (double)profile->cta_count;
  double ctas = touches > 0 ? lines / touches : 0;
  double wave = (double)sampler->waves.wave_ctas;
  return (uint64_t)(ctas > wave ? ctas : wave);
}

bool sampler_pass_is_large(const Sampler *sampler, double footprint) {
  return footprint >= LARGE * l2_lines(sampler->config);
}

uint64_t sampler_pass_start_up(const Sampler *sampler) {
  const LaunchProfile *profile = &sampler->profile;
  double lines = l2_lines(sampler->config), footprint = profile->features[FEATURE_FOOTPRINT];
  if (footprint <= lines) return 0;
  return (uint64_t)(2 * lines / footprint * (double)profile->cta_count);
}

void sampler_pass_warm(Sampler *sampler, uint64_t first, uint64_t count) {
  uint64_t stretch = stretch_of(sampler), end = first + count;
  Launch copy = *sampler->launch;
  FunctionalOptions options = options_of(sampler, &copy);
  options.first_cta = stretch < count ? end - stretch : first;
  options.end_cta = end;
  // More than they took before: they wait for something that other CTAs do.
  options.max_instructions =
      2 * (sampler->profile.before[end] - sampler->profile.before[options.first_cta]) + 1;
  options.accessed = warm_access;
  options.yields = true;  // the order decides which lines are evicted, and written back, together
  copy.warp_instructions = copy.thread_instructions = copy.ctas = 0;
  execute(sampler, &copy, &options);
}
