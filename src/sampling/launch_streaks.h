// SPDX-License-Identifier: MIT
// Launches that repeat: which of them are profiled, and which are timed again.
//
// A launch that repeats exactly need not be profiled each time. But programs drift, and what the
// caches hold changes: after FIRST projected launches of one key the next is timed again, then
// after eight times as many, and so on; from the start again when it disagrees with those before.
// The launches before it are profiled, so that it finds the L2 as they leave it. Launches that the
// contents of the L2 do not matter to (LaunchSignature.is_large) and that repeat exactly are timed
// again after STREAK_LARGE times as many.
#ifndef SAMPLING_LAUNCH_STREAKS_H
#define SAMPLING_LAUNCH_STREAKS_H

#include "sampling/launch_groups.h"

enum { STREAK_FIRST_DUE = 8, STREAK_DUE_GROWTH = 8, STREAK_LARGE = 4 };

typedef struct LaunchStreak {
  LaunchSignature signature;  // of the latest projected one
  uint64_t shape;             // kernel and launch configuration, in the key with what came before
  uint32_t length;            // projected one after the other, with equal features
  uint32_t projected;         // since one was timed
  uint32_t due;               // one is timed after so many
  uint64_t latest;            // launch of the program
} LaunchStreak;

// Zeroed, it is empty.
typedef struct LaunchStreaks {
  LaunchStreak *streaks;  // one per key
  uint32_t count, capacity;
  uint64_t launches;  // of the program
} LaunchStreaks;

void launch_streaks_clear(LaunchStreaks *streaks);

// Whether a launch of this shape has begun.
bool launch_streaks_know(const LaunchStreaks *streaks, uint64_t shape);
// A launch begins. Valid until the next call.
LaunchStreak *launch_streaks_begin(LaunchStreaks *streaks, uint64_t key, uint64_t shape);
// Whether the launch that has begun is to be timed, although it could be projected.
bool launch_streak_is_due(const LaunchStreak *streak);
// Whether it has to be profiled if it is projected.
bool launch_streaks_need_profile(const LaunchStreaks *streaks, const LaunchStreak *streak);

void launch_streaks_note_projected(LaunchStreaks *streaks, const LaunchSignature *signature);
void launch_streaks_note_timed(LaunchStreaks *streaks, uint64_t key);

#endif
