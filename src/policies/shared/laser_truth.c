// SPDX-License-Identifier: MIT
// How good LASER's predictions are: each is compared with the ratios that the child kernel had in
// a recorded run (`--observe reuse_profile:file=PATH`, then `shared=laser_status:truth=PATH`).
#include "policies/shared/laser_truth.h"

#include <stdio.h>

Status laser_truth_init(LaserTruth *truth, const char *file, const PolicySetup *setup, Error *err) {
  truth->reuse.strict = true;
  snprintf(truth->reuse.file, sizeof truth->reuse.file, "%s", file);
  return profiled_init(&truth->reuse, setup, err);
}

void laser_truth_clear(LaserTruth *truth) {
  profiled_clear(&truth->reuse);
}

void laser_truth_note_child(LaserTruth *truth, const ChildLaunchView *child) {
  profiled_on_child_launch(&truth->reuse, child);
}

static MonitoredReuse true_kind(const ProfiledKernel *kernel, double threshold) {
  const uint32_t ratios[MONITOR_KINDS] = {[MONITOR_PARENT_CHILD] = kernel->parent_child,
                                          [MONITOR_SIBLING] = kernel->sibling,
                                          [MONITOR_SELF] = kernel->self};
  MonitoredReuse best = MONITOR_NONE;
  double least = threshold * PROFILE_MILLION;
  for (int k = 0; k < MONITOR_KINDS; k++)
    if (ratios[k] > least) {
      best = (MonitoredReuse)k;
      least = ratios[k];
    }
  return best;
}

static bool is_high(MonitoredReuse kind) {
  return kind == MONITOR_PARENT_CHILD || kind == MONITOR_SIBLING;
}

void laser_truth_note_kernel(LaserTruth *truth, const KernelView *kernel,
                             const MonitoredReuse *prediction, double threshold) {
  if (!truth->reuse.profile.kernels) return;
  profiled_on_launch(&truth->reuse, kernel);
  uint32_t index = profiled_kernel(&truth->reuse, kernel->id);
  if (!prediction || index == PROFILE_NONE) return;
  MonitoredReuse kind = true_kind(&truth->reuse.profile.kernels[index], threshold);
  truth->known++;
  truth->kinds[kind]++;
  truth->same_kind += kind == *prediction;
  truth->high += is_high(kind);
  truth->same_flag += is_high(kind) == is_high(*prediction);
}
