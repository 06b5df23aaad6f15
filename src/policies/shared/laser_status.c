// SPDX-License-Identifier: MIT
// State shared by LASER's three schedulers (Tang et al., "Quantifying Data Locality in Dynamic
// Parallelism in GPUs", SIGMETRICS 2018, section 6 and figure 11): the priority flag and the
// parent of every kernel, and the schedule status table.
#include "policies/shared/laser_status.h"

#include "base/memory.h"

enum { STATUS_ENTRY_BITS = 64 };

static Status laser_init(void *state, const PolicySetup *setup, Error *err) {
  Laser *laser = state;
  laser->sm_count = setup->machine->sm_count ? setup->machine->sm_count : 1;
  laser->monitors = (ReuseMonitor *const *)setup->shared_by_sm;
  laser->children_of_sm = ARENA_ARRAY(setup->arena, uint32_t, laser->sm_count);
  laser->status =
      ARENA_ARRAY(setup->arena, StatusEntry, (size_t)laser->sm_count * laser->status_entries);
  return laser_truth_init(&laser->compared, laser->truth, setup, err);
}

static void laser_clear(void *state) {
  Laser *laser = state;
  memory_free(laser->kernels);
  memory_free(laser->launched);
  laser_truth_clear(&laser->compared);
}

// Kernels of the host were never predicted and have the high flag.
LaserKernel laser_kernel(const Laser *laser, uint32_t kernel) {
  return kernel < laser->kernel_count ? laser->kernels[kernel]
                                      : (LaserKernel){.is_high = true, .prediction = MONITOR_NONE};
}

// ---- priority flags

static bool is_cold(Laser *laser, uint32_t sm) {
  if (reuse_monitor_is_cold(laser->monitors[sm])) return true;
  return laser->children_of_sm[sm] < laser->cold_children;
}

// Predicts from the monitor of the SM on which the parent runs (section 6): children are expected
// to behave like earlier ones on this SM. Until there have been some, the flag is high.
static LaserKernel predict(Laser *laser, const LaunchOrigin *origin) {
  uint32_t sm = origin->parent_sm;
  LaserKernel child = {.is_child = true,
                       .is_cold = is_cold(laser, sm),
                       .prediction = (uint8_t)reuse_monitor_predict(laser->monitors[sm]),
                       .parent = origin->parent,
                       .parent_cta = origin->parent_cta,
                       .parent_warp = origin->parent_thread / WARP_LANES};
  child.is_high = child.is_cold || child.prediction == MONITOR_PARENT_CHILD ||
                  child.prediction == MONITOR_SIBLING;
  if (laser->children_of_sm[sm] < laser->cold_children) laser->children_of_sm[sm]++;
  laser->high += child.is_high;
  laser->low += !child.is_high;
  laser->cold += child.is_cold;
  if (!child.is_cold) laser->predicted[child.prediction]++;
  return child;
}

static void laser_on_child_launch(void *state, const ChildLaunchView *child) {
  Laser *laser = state;
  const LaunchOrigin *origin = &child->launch->origin;
  laser_truth_note_child(&laser->compared, child);
  while (laser->launched_count <= child->number) {
    GROW(laser->launched, laser->launched_count, laser->launched_capacity);
    laser->launched[laser->launched_count++] = (LaserKernel){.prediction = MONITOR_NONE};
  }
  laser->launched[child->number] = predict(laser, origin);
  if (origin->parent < laser->kernel_count) laser->kernels[origin->parent].open++;
}

// Predictions are made at the launch and kept by launch number: the kernel gets its id only
// when it reaches the queues, thousands of cycles later.
static void laser_on_launch(void *state, const KernelView *kernel) {
  Laser *laser = state;
  while (laser->kernel_count <= kernel->id) {
    GROW(laser->kernels, laser->kernel_count, laser->kernel_capacity);
    laser->kernels[laser->kernel_count++] =
        (LaserKernel){.is_high = true, .prediction = MONITOR_NONE};
  }
  if (kernel->launch_number && kernel->launch_number < laser->launched_count)
    laser->kernels[kernel->id] = laser->launched[kernel->launch_number];
  const LaserKernel *noted = &laser->kernels[kernel->id];
  MonitoredReuse prediction = (MonitoredReuse)noted->prediction;
  bool is_predicted = noted->is_child && !noted->is_cold;
  laser_truth_note_kernel(&laser->compared, kernel, is_predicted ? &prediction : NULL,
                          laser->monitors[0]->threshold);
}

// ---- completed parents

static void reset_monitors(Laser *laser) {
  for (uint32_t s = 0; s < laser->sm_count; s++) reuse_monitor_reset(laser->monitors[s]);
}

// A kernel completes when its CTAs and all its children have completed. For kernels that have
// launched, and for those of the host, this is the end of a parent.
static void laser_on_kernel_end(void *state, const KernelView *view) {
  Laser *laser = state;
  uint32_t id = view->id;
  if (id >= laser->kernel_count) return;
  laser->kernels[id].has_ended = true;
  bool is_parent = !laser->kernels[id].is_child;
  while (laser->kernels[id].has_ended && !laser->kernels[id].open) {
    const LaserKernel *kernel = &laser->kernels[id];
    if (is_parent || !kernel->is_child) reset_monitors(laser);
    if (!kernel->is_child || kernel->parent >= laser->kernel_count) return;
    id = kernel->parent;
    if (laser->kernels[id].open) laser->kernels[id].open--;
    is_parent = true;
  }
}

// ---- the schedule status table

static StatusEntry *find_entry(const Laser *laser, uint32_t sm, uint32_t kernel, uint64_t cta) {
  for (uint32_t i = 0; i < laser->status_entries; i++) {
    StatusEntry *entry = &laser->status[(size_t)sm * laser->status_entries + i];
    if (entry->is_taken && entry->kernel == kernel && entry->cta == (uint32_t)cta) return entry;
  }
  return NULL;
}

// The table is small (16 CTAs per SM in the paper's 128 bytes), so lookup is a linear search.
uint32_t laser_where(const Laser *laser, uint32_t kernel, uint64_t cta) {
  for (uint32_t s = 0; s < laser->sm_count; s++)
    if (find_entry(laser, s, kernel, cta)) return s;
  return LASER_NOWHERE;
}

// A full table loses the CTA: its children are then dispatched as if it had completed.
static void note_cta(void *state, const CtaView *cta) {
  Laser *laser = state;
  StatusEntry *entries = &laser->status[(size_t)cta->sm * laser->status_entries];
  for (uint32_t i = 0; i < laser->status_entries; i++) {
    if (entries[i].is_taken) continue;
    entries[i] =
        (StatusEntry){.kernel = cta->kernel->id, .cta = (uint32_t)cta->cta, .is_taken = true};
    return;
  }
  laser->status_full++;
}

static void forget_cta(void *state, const CtaView *cta) {
  StatusEntry *entry = find_entry(state, cta->sm, cta->kernel->id, cta->cta);
  if (entry) entry->is_taken = false;
}

// ---- the part

static uint64_t laser_storage_bits(const void *state, uint32_t warps) {
  (void)warps;
  return (uint64_t)((const Laser *)state)->status_entries * STATUS_ENTRY_BITS;
}

static const Param laser_params[] = {
    PARAM(Laser, cold_children, 2, 0, 1 << 20, "first children of each SM that get the high flag"),
    PARAM(Laser, status_entries, 16, 1, 1024, "CTAs per SM in the schedule status table"),
    PARAM_TEXT(Laser, truth, "",
               "file written by --observe reuse_profile:file=PATH, to count correct predictions"),
    {0}};

#define PREDICTED(name_, kind, help_) \
  { .name = "predicted_" name_, .help = (help_), .offset = STAT_OFFSET_(Laser, predicted[kind]) }

#define TRUTH(name_, field_, help_) \
  { .name = name_, .help = (help_), .offset = STAT_OFFSET_(Laser, compared.field_) }

static const Stat laser_stats[] = {
    STAT_COUNT(Laser, high, "child kernels launched with the high flag"),
    STAT_COUNT(Laser, low, "child kernels launched with the low flag"),
    STAT_COUNT(Laser, cold, "of the high ones: no prediction yet"),
    PREDICTED("parent_child", MONITOR_PARENT_CHILD,
              "later ones predicted to reuse lines of their parent"),
    PREDICTED("sibling", MONITOR_SIBLING, "... of siblings"),
    PREDICTED("self", MONITOR_SELF, "... their own"),
    PREDICTED("none", MONITOR_NONE, "... none"),
    TRUTH("truth_known", known, "with truth: predictions for kernels whose ratios are known"),
    TRUTH("truth_same_kind", same_kind, "... that name the kind with the highest true ratio"),
    TRUTH("truth_same_flag", same_flag, "... with the flag that the true ratios imply"),
    TRUTH("truth_high", high, "... that should have the high flag"),
    TRUTH("truth_parent_child", kinds[MONITOR_PARENT_CHILD],
          "... of kernels that reuse lines of their parent most"),
    TRUTH("truth_sibling", kinds[MONITOR_SIBLING], "... of a sibling"),
    TRUTH("truth_self", kinds[MONITOR_SELF], "... their own"),
    TRUTH("truth_none", kinds[MONITOR_NONE], "... none"),
    STAT_COUNT(Laser, status_full, "CTAs that found no free entry in the status table"),
    {0}};

const SharedType laser_status_shared = {
    .policy = {.name = "laser_status",
               .summary = "LASER: priority flags, parents and the schedule status table",
               .state_size = sizeof(Laser),
               .params = laser_params,
               .stats = laser_stats,
               .storage_bits = laser_storage_bits,
               .shares = "reuse_monitor",
               .init = laser_init,
               .clear = laser_clear,
               .on_child_launch = laser_on_child_launch,
               .on_launch = laser_on_launch,
               .on_kernel_end = laser_on_kernel_end,
               .on_cta_start = note_cta,
               .on_cta_end = forget_cta,
               .on_cta_suspend = forget_cta,
               .on_cta_resume = note_cta},
};
