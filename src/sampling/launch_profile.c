// SPDX-License-Identifier: MIT
// Collects the work and the accesses of each CTA of a launch during functional execution.
#include "sampling/launch_profile.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/murmur_hash.h"

enum { SEEN_BITS = 1 << 20, SEEN_WORDS = SEEN_BITS / 64 };

void launch_profile_begin(LaunchProfile *profile, uint64_t cta_count) {
  if (!profile->touches) {
    profile->touches = memory_alloc(sizeof(LineTouch) * PROFILE_TOUCHES);
    profile->seen = memory_alloc(sizeof(uint64_t) * SEEN_WORDS);
  }
  if (profile->cta_capacity < cta_count) {
    profile->before = memory_resize(profile->before, sizeof(uint64_t) * (cta_count + 1));
    profile->cta_capacity = cta_count;
  }
  profile->cta_count = cta_count;
  profile->touch_count = 0;
  memset(profile->features, 0, sizeof profile->features);
  memset(profile->seen, 0, sizeof(uint64_t) * SEEN_WORDS);
}

void launch_profile_clear(LaunchProfile *profile) {
  memory_free(profile->before);
  memory_free(profile->touches);
  memory_free(profile->seen);
  *profile = (LaunchProfile){0};
}

// Shifted by one place, so that the sums can be made where they are.
void launch_profile_cta(LaunchProfile *profile, uint64_t cta, uint64_t warp_instructions) {
  profile->before[cta + 1] = warp_instructions;
}

static bool is_cached(const LaunchProfile *profile, uint64_t address) {
  return profile->is_cached && profile->is_cached(profile->is_cached_self, address);
}

static void touch(LaunchProfile *profile, const TouchedLine *line, bool is_write) {
  uint32_t hash = murmur_hash2_u64(line->address, 1) % SEEN_BITS;
  uint64_t *word = &profile->seen[hash / 64], bit = UINT64_C(1) << hash % 64;
  uint64_t first = line->address + (uint64_t)__builtin_ctz(line->sectors) * TOUCHED_SECTOR_BYTES;
  if (!(*word & bit) && !is_cached(profile, first)) profile->features[FEATURE_ABSENT]++;
  *word |= bit;
  profile->touches[profile->touch_count++ % PROFILE_TOUCHES] =
      (LineTouch){line->address, line->sectors, line->full, is_write};
}

void launch_profile_global(LaunchProfile *profile, const uint64_t *address, uint32_t mask,
                           uint32_t bytes, bool is_write) {
  TouchedLine lines[TOUCHED_MAX_LINES];
  uint32_t count = touched_lines(address, mask, bytes, lines);
  profile->features[is_write ? FEATURE_WRITES : FEATURE_READS] += count;
  for (uint32_t i = 0; i < count; i++) touch(profile, &lines[i], is_write);
}

double linear_count(uint64_t set, uint64_t bits) {
  if (set >= bits) set = bits - 1;
  return -(double)bits * log1p(-(double)set / (double)bits);
}

void launch_profile_end(LaunchProfile *profile, uint64_t thread_instructions) {
  uint64_t set = 0, largest = 0;
  profile->before[0] = 0;
  for (uint64_t i = 1; i <= profile->cta_count; i++) {
    if (profile->before[i] > largest) largest = profile->before[i];
    profile->before[i] += profile->before[i - 1];
  }
  for (uint32_t i = 0; i < SEEN_WORDS; i++) set += (uint64_t)__builtin_popcountll(profile->seen[i]);
  profile->features[FEATURE_WARP_INSTRUCTIONS] = (double)profile->before[profile->cta_count];
  profile->features[FEATURE_THREAD_INSTRUCTIONS] = (double)thread_instructions;
  profile->features[FEATURE_FOOTPRINT] = linear_count(set, SEEN_BITS);
  profile->features[FEATURE_LARGEST_CTA] = (double)largest;
}

uint64_t launch_profile_first(const LaunchProfile *profile) {
  return profile->touch_count < PROFILE_TOUCHES ? 0 : profile->touch_count - PROFILE_TOUCHES;
}
