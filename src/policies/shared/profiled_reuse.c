// SPDX-License-Identifier: MIT
// Reuse ratios that are known in advance, from a recorded run (policies/reuse_profile.h): what the
// schedulers of the limit study share (Tang et al., SIGMETRICS 2018, section 5).
#include "policies/shared/profiled_reuse.h"

#include "base/memory.h"

static Status check_sample(const ProfiledReuse *reuse, const char *path, Error *err) {
  const ProfileSample *sample = &reuse->profile.sample;
  if (reuse->sampled || reuse_profile_is_exact(sample)) return OK;
  return error_set(
      err, ERR_CONFIG,
      "%.400s: a sampled reuse profile (one line in %llu, %llu of %llu kernels, %llu of %llu "
      "CTAs): "
      "record it with --observe reuse_profile:file=PATH and larger limit= and work=, or accept it "
      "with shared=reuse_profile:sampled=true",
      path, (unsigned long long)sample->one_line_in, (unsigned long long)sample->kernels_examined,
      (unsigned long long)sample->kernels, (unsigned long long)sample->ctas_examined,
      (unsigned long long)sample->ctas);
}

Status profiled_init(void *state, const PolicySetup *setup, Error *err) {
  ProfiledReuse *reuse = state;
  reuse->failure = setup->failure;
  if (!*reuse->file) return OK;
  const char *path = policy_input(setup, reuse->file);
  TRY(reuse_profile_open(&reuse->profile, path, err));
  TRY(check_sample(reuse, path, err));
  reuse->taken = memory_alloc(sizeof *reuse->taken * (reuse->profile.kernel_count + 1));
  reuse->children = memory_alloc(sizeof *reuse->children * (reuse->profile.kernel_count + 1));
  return OK;
}

void profiled_clear(void *state) {
  ProfiledReuse *reuse = state;
  memory_free(reuse->taken);
  memory_free(reuse->children);
  memory_free(reuse->of_kernel);
  memory_free(reuse->of_launch);
  reuse_profile_close(&reuse->profile);
}

// ---- following the tree of launches

static void depart(ProfiledReuse *reuse, const char *name, const char *why) {
  reuse->unknown++;
  if (!reuse->strict || reuse->failure->status != OK) return;
  error_set(reuse->failure, ERR_CONFIG,
            "the run departs from the recorded one: %.200s %s; record %.400s again, with the same "
            "program, input and GPU, or let unknown kernels pass with "
            "shared=reuse_profile:strict=false",
            name, why, reuse->file);
}

static const char *name_of(const Launch *launch) {
  return launch->kernel && launch->kernel->name ? launch->kernel->name : "a kernel";
}

// The kernel of the recorded run at the same place, with the same signature.
static uint32_t identify(ProfiledReuse *reuse, const LaunchPlace *place, const Launch *launch) {
  const ReuseProfile *profile = &reuse->profile;
  uint32_t at = reuse_profile_find(profile, place);
  if (at == PROFILE_NONE) {
    depart(reuse, name_of(launch), "has no counterpart in the recorded run");
    return PROFILE_NONE;
  }
  uint32_t index = profile->by_place[at];
  if (profile->kernels[index].signature != launch_signature(launch)) {
    depart(reuse, name_of(launch),
           "is launched where the recorded run launched another kernel, grid or block");
    return PROFILE_NONE;
  }
  reuse->known++;
  return index;
}

static uint32_t identify_child(ProfiledReuse *reuse, const Launch *launch) {
  const LaunchOrigin *origin = &launch->origin;
  LaunchPlace place = {.parent = profiled_kernel(reuse, origin->parent),
                       .cta = origin->parent_cta,
                       .thread = origin->parent_thread};
  if (place.parent == PROFILE_NONE) {
    reuse->unknown++;
    return PROFILE_NONE;
  }
  reuse->children[place.parent]++;
  uint32_t first = reuse_profile_find(&reuse->profile, &place);
  if (first != PROFILE_NONE) place.number = reuse->taken[first]++;
  return identify(reuse, &place, launch);
}

void profiled_on_child_launch(void *state, const ChildLaunchView *child) {
  ProfiledReuse *reuse = state;
  if (!reuse->profile.kernels) return;
  while (reuse->launch_count <= child->number) {
    GROW(reuse->of_launch, reuse->launch_count, reuse->launch_capacity);
    reuse->of_launch[reuse->launch_count++] = PROFILE_NONE;
  }
  reuse->of_launch[child->number] = identify_child(reuse, child->launch);
}

void profiled_on_launch(void *state, const KernelView *kernel) {
  ProfiledReuse *reuse = state;
  if (!reuse->profile.kernels) return;
  while (reuse->kernel_count <= kernel->id) {
    GROW(reuse->of_kernel, reuse->kernel_count, reuse->kernel_capacity);
    reuse->of_kernel[reuse->kernel_count++] = PROFILE_NONE;
  }
  uint32_t *index = &reuse->of_kernel[kernel->id];
  if (kernel->launch_number) {
    if (kernel->launch_number < reuse->launch_count)
      *index = reuse->of_launch[kernel->launch_number];
    return;
  }
  *index = identify(reuse, &(LaunchPlace){.parent = PROFILE_NONE, .number = reuse->host_count++},
                    kernel->launch);
}

// All its CTAs have ended, so that it launches no more.
static void profiled_on_kernel_end(void *state, const KernelView *kernel) {
  ProfiledReuse *reuse = state;
  uint32_t index = profiled_kernel(reuse, kernel->id);
  if (index == PROFILE_NONE || kernel->ctas_done != kernel->cta_count) return;
  if (reuse->children[index] < reuse->profile.kernels[index].children)
    depart(reuse, name_of(kernel->launch), "launched more kernels in the recorded run");
}

// ---- lookup

uint32_t profiled_kernel(const ProfiledReuse *reuse, uint32_t kernel) {
  return kernel < reuse->kernel_count ? reuse->of_kernel[kernel] : PROFILE_NONE;
}

uint32_t profiled_ratio(const ProfiledReuse *reuse, uint32_t kernel, uint32_t other) {
  uint32_t x = profiled_kernel(reuse, kernel), y = profiled_kernel(reuse, other);
  if (x == PROFILE_NONE || y == PROFILE_NONE) return 0;
  return reuse_profile_ratio(&reuse->profile, x, y);
}

ProfiledCta profiled_cta(const ProfiledReuse *reuse, uint32_t kernel, uint64_t cta) {
  uint32_t index = profiled_kernel(reuse, kernel);
  if (index == PROFILE_NONE || cta >= reuse->profile.kernels[index].cta_count)
    return (ProfiledCta){.chain = PROFILE_NONE};
  return reuse->profile.ctas[reuse->profile.kernels[index].first_cta + cta];
}

static const Param profiled_params[] = {
    PARAM_TEXT(ProfiledReuse, file, "", "file written by --observe reuse_profile:file=PATH"),
    PARAM(ProfiledReuse, strict, true, 0, 1, "reject kernels that the recorded run did not launch"),
    PARAM(ProfiledReuse, sampled, false, 0, 1,
          "accept a profile of a sample of lines, kernels or CTAs"),
    {0}};

static const Stat profiled_stats[] = {
    STAT_COUNT(ProfiledReuse, known, "kernels found in the recorded run"),
    STAT_COUNT(ProfiledReuse, unknown, "kernels missing from the recording"),
    {0}};

const SharedType reuse_profile_shared = {
    .policy = {.name = "reuse_profile",
               .summary = "reuse ratios and chains of a recorded run",
               .state_size = sizeof(ProfiledReuse),
               .params = profiled_params,
               .stats = profiled_stats,
               .recorder = "reuse_profile",
               .init = profiled_init,
               .clear = profiled_clear,
               .on_child_launch = profiled_on_child_launch,
               .on_launch = profiled_on_launch,
               .on_kernel_end = profiled_on_kernel_end},
};
