// SPDX-License-Identifier: MIT
// What a warp knows to have happened before its present: vector clocks within a CTA, points of
// synchronisation between CTAs.
//
// Every warp counts its own barriers and fences: that is its clock. clock[w] of a warp is the
// last clock of warp w of its CTA whose accesses come before it. Knowledge of other CTAs would
// be a vector over all CTAs of the grid; in place of it a warp keeps which points (addresses of
// flags, counters, locks) it has acquired, and how many releases each had then. The releases of
// a point hold the clocks of the CTA that released. Whether an access of another CTA comes
// before is looked up there, and only when two accesses conflict.
#ifndef RACES_SYNC_POINT_H
#define RACES_SYNC_POINT_H

#include "isa/launch.h"

// A clock that reaches its limit stays, and the warp is not checked from then on.
enum { CLOCK_LIMIT = (1 << 18) - 1 };

typedef struct SyncPoint SyncPoint;

// A point, and how many of its releases come before.
typedef struct Known {
  SyncPoint *point;
  uint32_t releases;
} Known;

// Points that a warp has acquired. A warp that has acquired more than KNOWN_POINTS is taken to
// know everything: it may miss races with other CTAs, and reports no false ones.
enum { KNOWN_POINTS = 64 };

typedef struct KnownSet {
  Known *items;
  uint32_t count, capacity;
  bool is_everything;
} KnownSet;

void known_add(KnownSet *set, SyncPoint *point, uint32_t releases);
void known_join(KnownSet *set, const KnownSet *other);
void known_clear(KnownSet *set);

static inline void clocks_join(uint32_t *clocks, const uint32_t *others, uint32_t count) {
  for (uint32_t w = 0; w < count; w++) clocks[w] = clocks[w] > others[w] ? clocks[w] : others[w];
}

// What came before one release.
typedef struct Release {
  uint32_t cta;
  uint32_t previous;  // index of the release before it by the same CTA, or NO_RELEASE
  bool is_cta_scope;  // after a fence of the CTA's scope: other CTAs cannot rely on it
  uint32_t clock[MAX_CTA_WARPS];
} Release;
#define NO_RELEASE UINT32_MAX

// All points of the launches that run now.
typedef struct SyncPoints {
  SyncPoint *points;
} SyncPoints;

// address: of global memory with owner 0, of shared memory with the CTA as its owner. NULL if
// nothing has been released there, unless it is to be made.
SyncPoint *sync_point_find(SyncPoints *points, uint64_t address, uint32_t owner, bool is_made);
void sync_points_clear(SyncPoints *points);

// `known`: of the warp that releases. A release that adds nothing is left out.
void sync_point_release(SyncPoint *point, const Release *release, uint32_t warp,
                        const KnownSet *known);
// A warp of a CTA acquires: what the point's releases knew joins its set, and releases by its own
// CTA its clocks.
void sync_point_acquire(SyncPoint *point, KnownSet *known, uint32_t cta, uint32_t *clocks,
                        uint32_t warp_count);
// Whether the set holds a release by the CTA after its warp's access at the clock.
bool known_has(const KnownSet *set, uint32_t cta, uint32_t warp, uint32_t clock);

#endif
