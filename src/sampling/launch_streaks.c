// SPDX-License-Identifier: MIT
// Counts the launches of each key that follow one another.
#include "sampling/launch_streaks.h"

#include <math.h>

#include "base/memory.h"

// After so many with the same profile, only one in REPEATS is profiled again.
enum { FIRST_PROFILES = 4, REPEATS = 32 };
// The same profile: features that differ by no more than this share.
static const double repeat_share = 0.005;
// A key that has not been seen for so many launches is not expected again.
enum { RECENT_LAUNCHES = 64 };

void launch_streaks_clear(LaunchStreaks *streaks) {
  memory_free(streaks->streaks);
  *streaks = (LaunchStreaks){0};
}

static LaunchStreak *find(LaunchStreaks *streaks, uint64_t key) {
  for (uint32_t i = 0; i < streaks->count; i++)
    if (streaks->streaks[i].signature.key == key) return &streaks->streaks[i];
  GROW(streaks->streaks, streaks->count, streaks->capacity);
  LaunchStreak *streak = &streaks->streaks[streaks->count++];
  *streak = (LaunchStreak){.signature = {.key = key}, .due = STREAK_FIRST_DUE};
  return streak;
}

bool launch_streaks_know(const LaunchStreaks *streaks, uint64_t shape) {
  for (uint32_t i = 0; i < streaks->count; i++)
    if (streaks->streaks[i].shape == shape) return true;
  return false;
}

LaunchStreak *launch_streaks_begin(LaunchStreaks *streaks, uint64_t key, uint64_t shape) {
  LaunchStreak *streak = find(streaks, key);
  streak->shape = shape;
  streak->latest = ++streaks->launches;
  return streak;
}

// Large launches that repeat exactly have neither another program nor other caches: they are timed
// again later.
static uint32_t due_of(const LaunchStreak *streak) {
  bool is_certain = streak->signature.is_large && streak->length >= streak->projected;
  return streak->due * (is_certain ? STREAK_LARGE : 1);
}

bool launch_streak_is_due(const LaunchStreak *streak) {
  return streak->projected >= due_of(streak);
}

// Whether any will soon be timed again: kernels may take turns, so those of other keys count.
static bool is_one_near(const LaunchStreaks *streaks) {
  for (uint32_t i = 0; i < streaks->count; i++) {
    const LaunchStreak *streak = &streaks->streaks[i];
    bool is_recent = streaks->launches - streak->latest < RECENT_LAUNCHES;
    if (is_recent && streak->projected + 1 >= due_of(streak)) return true;
  }
  return false;
}

bool launch_streaks_need_profile(const LaunchStreaks *streaks, const LaunchStreak *streak) {
  return streak->length < FIRST_PROFILES || streak->length % REPEATS == 0 || is_one_near(streaks);
}

// The same instructions; lines that the L2 holds differ a little where buffers take turns.
static bool repeats(const LaunchSignature *now, const LaunchSignature *before) {
  for (int f = 0; f < FEATURES; f++) {
    double x = now->features[f], y = before->features[f];
    bool is_exact = f == FEATURE_WARP_INSTRUCTIONS || f == FEATURE_THREAD_INSTRUCTIONS;
    if (fabs(x - y) > (is_exact ? 0 : repeat_share * fmax(x, y))) return false;
  }
  return true;
}

void launch_streaks_note_projected(LaunchStreaks *streaks, const LaunchSignature *signature) {
  LaunchStreak *streak = find(streaks, signature->key);
  bool is_equal = repeats(signature, &streak->signature);
  streak->length = is_equal ? streak->length + 1 : 1;
  streak->signature = *signature;
  streak->projected++;
}

// One that was not due could not be projected: it does not agree with those before.
void launch_streaks_note_timed(LaunchStreaks *streaks, uint64_t key) {
  LaunchStreak *streak = find(streaks, key);
  bool was_due = launch_streak_is_due(streak);
  streak->due = was_due ? streak->due * STREAK_DUE_GROWTH : STREAK_FIRST_DUE;
  streak->projected = 0;
}
