// SPDX-License-Identifier: MIT
// Vector clocks within a CTA, and release points between CTAs.
#include "races/sync_point.h"

#include <string.h>
#include <uthash.h>

#include "base/memory.h"

// The last release of a point by one CTA.
typedef struct CtaRelease {
  uint32_t cta, last;
  UT_hash_handle hh;
} CtaRelease;

typedef struct PointKey {
  uint64_t address;
  uint64_t owner;
} PointKey;

struct SyncPoint {
  PointKey key;
  Release *releases;
  uint32_t count, capacity;
  CtaRelease *by_cta;
  KnownSet known;  // of all that released
  UT_hash_handle hh;
};

// ---- sets of points

void known_add(KnownSet *set, SyncPoint *point, uint32_t releases) {
  if (set->is_everything) return;
  for (uint32_t i = 0; i < set->count; i++) {
    if (set->items[i].point != point) continue;
    if (set->items[i].releases < releases) set->items[i].releases = releases;
    return;
  }
  if (set->count == KNOWN_POINTS) {
    set->is_everything = true;
    return;
  }
  GROW(set->items, set->count, set->capacity);
  set->items[set->count++] = (Known){point, releases};
}

void known_join(KnownSet *set, const KnownSet *other) {
  set->is_everything |= other->is_everything;
  for (uint32_t i = 0; i < other->count; i++)
    known_add(set, other->items[i].point, other->items[i].releases);
}

void known_clear(KnownSet *set) {
  memory_free(set->items);
  *set = (KnownSet){0};
}

// ---- points

SyncPoint *sync_point_find(SyncPoints *points, uint64_t address, uint32_t owner, bool is_made) {
  PointKey key = {address, owner};
  SyncPoint *point;
  HASH_FIND(hh, points->points, &key, sizeof key, point);
  if (point || !is_made) return point;
  point = memory_alloc(sizeof *point);
  point->key = key;
  HASH_ADD(hh, points->points, key, sizeof point->key, point);
  return point;
}

static void destroy(SyncPoint *point) {
  CtaRelease *each, *next;
  HASH_ITER(hh, point->by_cta, each, next) {
    HASH_DEL(point->by_cta, each);
    memory_free(each);
  }
  known_clear(&point->known);
  memory_free(point->releases);
  memory_free(point);
}

void sync_points_clear(SyncPoints *points) {
  SyncPoint *point, *next;
  HASH_ITER(hh, points->points, point, next) {
    HASH_DEL(points->points, point);
    destroy(point);
  }
}

static CtaRelease *releases_of(const SyncPoint *point, uint32_t cta) {
  CtaRelease *found;
  HASH_FIND(hh, point->by_cta, &cta, sizeof cta, found);
  return found;
}

static CtaRelease *make_releases(SyncPoint *point, uint32_t cta) {
  CtaRelease *made = memory_alloc(sizeof *made);
  made->cta = cta;
  made->last = NO_RELEASE;
  HASH_ADD(hh, point->by_cta, cta, sizeof made->cta, made);
  return made;
}

void sync_point_release(SyncPoint *point, const Release *release, uint32_t warp,
                        const KnownSet *known) {
  CtaRelease *own = releases_of(point, release->cta);
  if (own && own->last != NO_RELEASE) {
    const Release *last = &point->releases[own->last];
    if (last->clock[warp] == release->clock[warp] && last->is_cta_scope == release->is_cta_scope)
      return;
  }
  if (!own) own = make_releases(point, release->cta);
  GROW(point->releases, point->count, point->capacity);
  point->releases[point->count] = *release;
  point->releases[point->count].previous = own->last;
  own->last = point->count++;
  known_join(&point->known, known);
}

static uint32_t releases_known(const KnownSet *known, const SyncPoint *point) {
  for (uint32_t i = 0; i < known->count; i++)
    if (known->items[i].point == point) return known->items[i].releases;
  return 0;
}

void sync_point_acquire(SyncPoint *point, KnownSet *known, uint32_t cta, uint32_t *clocks,
                        uint32_t warp_count) {
  uint32_t before = releases_known(known, point);
  const CtaRelease *own = releases_of(point, cta);
  for (uint32_t i = own ? own->last : NO_RELEASE; i != NO_RELEASE && i >= before;
       i = point->releases[i].previous)
    clocks_join(clocks, point->releases[i].clock, warp_count);
  known_join(known, &point->known);
  known_add(known, point, point->count);
}

static bool point_has(const Known *known, uint32_t cta, uint32_t warp, uint32_t clock) {
  const SyncPoint *point = known->point;
  const CtaRelease *by = releases_of(point, cta);
  for (uint32_t i = by ? by->last : NO_RELEASE; i != NO_RELEASE; i = point->releases[i].previous) {
    const Release *release = &point->releases[i];
    if (i < known->releases && !release->is_cta_scope && release->clock[warp] >= clock) return true;
  }
  return false;
}

bool known_has(const KnownSet *set, uint32_t cta, uint32_t warp, uint32_t clock) {
  if (set->is_everything) return true;
  for (uint32_t i = 0; i < set->count; i++)
    if (point_has(&set->items[i], cta, warp, clock)) return true;
  return false;
}
