// SPDX-License-Identifier: MIT
// Reuse ratios of a recorded run, for schedulers with perfect knowledge (Tang et al., SIGMETRICS
// 2018, section 5): the launch tree, ratios between kernels above 0.4, and the chains of CTAs
// linked by such ratios. An observer writes it (reuse_profile), the shared part of the same name
// reads it.
//
// Kernels are identified by their position in the launch tree, not by their start order: those of
// the host by number; a child by its parent, the CTA and the thread that launched it, and its
// number among that thread's launches. A run with another schedule therefore finds them, if every
// thread launches the same kernels.
//
// The file, in the byte order of the host: a ReuseProfileHeader, the kernels in start order, so
// that parents precede their children; the kernels' indices in the order of their positions; pairs
// by kernel; CTAs by kernel.
#ifndef POLICIES_REUSE_PROFILE_H
#define POLICIES_REUSE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "isa/launch.h"

#define REUSE_PROFILE_MAGIC "HDLREUSE"
enum { REUSE_PROFILE_VERSION = 2 };

#define PROFILE_NONE UINT32_MAX
enum { PROFILE_HIGH_MILLIONTHS = 400000, PROFILE_MILLION = 1000000 };

// What the ratios were found from. A profile is exact if all lines and all units were examined.
typedef struct ProfileSample {
  uint64_t one_line_in;                // 1: all lines
  uint64_t kernels, kernels_examined;  // that reference anything; compared with others
  uint64_t ctas, ctas_examined;
} ProfileSample;

typedef struct ReuseProfileHeader {
  char magic[8];
  uint64_t version, kernel_count, pair_count, cta_count, chain_count;
  ProfileSample sample;
} ReuseProfileHeader;

// Place of a kernel in the launch tree.
typedef struct LaunchPlace {
  uint64_t cta;             // that launched it; of the host's kernels 0
  uint32_t parent;          // index, or PROFILE_NONE
  uint32_t thread, number;  // that launched it; of that thread's launches, from 0
} LaunchPlace;

typedef struct ProfiledKernel {
  LaunchPlace place;
  uint64_t signature;             // of name, grid and block
  uint64_t first_cta, cta_count;  // of its grid
  uint64_t first_pair, pair_count;
  uint32_t children, reserved;  // kernels that it launched
  // In millionths: its own ratio, that to its parent, the highest to a sibling.
  uint32_t self, parent_child, sibling, reserved_too;
} ProfiledKernel;

// A kernel's ratio to another is high. By the other's index.
typedef struct ProfiledPair {
  uint32_t other, millionths;
} ProfiledPair;

typedef struct ProfiledCta {
  uint32_t chain;         // PROFILE_NONE: no high ratio to another CTA
  uint32_t is_self_high;  // its own ratio is
} ProfiledCta;

typedef struct ReuseProfile {
  const ProfiledKernel *kernels;
  const uint32_t *by_place;
  const ProfiledPair *pairs;
  const ProfiledCta *ctas;
  uint64_t kernel_count, pair_count, cta_count, chain_count;
  ProfileSample sample;
  void *mapping;
  size_t mapping_bytes;
} ReuseProfile;

// Maps a file and checks it: every index is in range, every order is kept.
Status reuse_profile_open(ReuseProfile *profile, const char *path, Error *err);
void reuse_profile_close(ReuseProfile *profile);

static inline bool reuse_profile_is_exact(const ProfileSample *sample) {
  return sample->one_line_in == 1 && sample->kernels == sample->kernels_examined &&
         sample->ctas == sample->ctas_examined;
}

// Position in by_place of the kernel with that place; PROFILE_NONE: there is none.
uint32_t reuse_profile_find(const ReuseProfile *profile, const LaunchPlace *place);
// The ratio of a kernel to another, by their indices, in millionths; 0: it is not high.
uint32_t reuse_profile_ratio(const ReuseProfile *profile, uint32_t kernel, uint32_t other);

int launch_place_compare(const LaunchPlace *a, const LaunchPlace *b);
uint64_t launch_signature(const Launch *launch);

#endif
