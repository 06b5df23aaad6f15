// SPDX-License-Identifier: MIT
// Which loads are gathers by what another load has read.
#include "policies/prefetch/gathers.h"

enum { TRUSTED = 2, MOST_TRUST = 3 };
static const uint64_t scales[] = {4, 8, 1, 2, 16};

static uint32_t first_lane(uint32_t mask) {
  return (uint32_t)__builtin_ctz(mask);
}

static bool fits(const LoadLanes *index, const LoadLanes *gather, uint64_t base, uint64_t scale) {
  for (uint32_t left = index->mask & gather->mask; left; left &= left - 1) {
    uint32_t lane = first_lane(left);
    if (gather->address[lane] != base + index->value[lane] * scale) return false;
  }
  return true;
}

// Equal values would fit any scale.
static bool has_different_values(const LoadLanes *index, uint32_t mask) {
  uint64_t first = index->value[first_lane(mask)];
  for (uint32_t left = mask; left; left &= left - 1)
    if (index->value[first_lane(left)] != first) return true;
  return false;
}

static const LoadLanes *recent_load(const RecentLoads *recent, uint32_t pc) {
  for (uint32_t i = 0; i < GATHER_RECENT; i++)
    if (recent->pc[i] == pc) return &recent->lanes[i];
  return NULL;
}

static void note_recent(RecentLoads *recent, uint32_t pc, const LoadLanes *lanes) {
  uint32_t at = recent->next;
  for (uint32_t i = 0; i < GATHER_RECENT; i++)
    if (recent->pc[i] == pc) at = i;
  if (at == recent->next) recent->next = (at + 1) % GATHER_RECENT;
  recent->pc[at] = pc;
  recent->lanes[at] = *lanes;
}

static GatherPair *find_pair(Gathers *gathers, uint32_t gather) {
  for (uint32_t i = 0; i < GATHER_PAIRS; i++)
    if (gathers->pairs[i].gather == gather) return &gathers->pairs[i];
  return NULL;
}

static GatherPair *free_pair(Gathers *gathers) {
  GatherPair *oldest = &gathers->pairs[0];
  for (uint32_t i = 0; i < GATHER_PAIRS; i++) {
    GatherPair *each = &gathers->pairs[i];
    if (!each->gather) return each;
    if (each->seen < oldest->seen) oldest = each;
  }
  return oldest;
}

static void learn(Gathers *gathers, const RecentLoads *recent, uint32_t gather,
                  const LoadLanes *lanes, Cycle now) {
  for (uint32_t i = 0; i < GATHER_RECENT; i++) {
    const LoadLanes *index = &recent->lanes[i];
    uint32_t mask = recent->pc[i] ? index->mask & lanes->mask : 0;
    if (!mask || recent->pc[i] == gather || !has_different_values(index, mask)) continue;
    for (uint32_t s = 0; s < sizeof scales / sizeof *scales; s++) {
      uint32_t lane = first_lane(mask);
      uint64_t base = lanes->address[lane] - index->value[lane] * scales[s];
      if (!fits(index, lanes, base, scales[s])) continue;
      *free_pair(gathers) = (GatherPair){recent->pc[i], gather, base, scales[s], 1, now};
      return;
    }
  }
}

const LoadLanes *gathers_note(Gathers *gathers, const L1dAccess *access, const GatherPair **found) {
  const LoadLanes *lanes = access->lanes, *index = NULL;
  uint32_t pc = access->requester.pc + 1;
  RecentLoads *recent = &gathers->recent[access->requester.warp];
  GatherPair *pair = find_pair(gathers, pc);
  if (pair) {
    index = recent_load(recent, pair->index);
    bool is_right = index && fits(index, lanes, pair->base, pair->scale);
    if (is_right && pair->trust < MOST_TRUST) pair->trust++;
    if (!is_right && !--pair->trust) *pair = (GatherPair){0};
    pair->seen = access->now;
    if (!is_right) index = NULL;
  } else {
    learn(gathers, recent, pc, lanes, access->now);
  }
  *found = pair;
  if (index && pair->trust >= TRUSTED) return index;
  if (lanes->has_data) note_recent(recent, pc, lanes);
  return NULL;
}

uint32_t gather_lines(const GatherPair *pair, const LoadLanes *index, uint32_t ahead,
                      uint32_t line_bytes, uint64_t lines[LOAD_LANES]) {
  uint32_t count = 0;
  for (uint32_t left = index->ahead_mask[ahead - 1]; left; left &= left - 1) {
    uint64_t address = pair->base + index->ahead[ahead - 1][first_lane(left)] * pair->scale;
    uint64_t line = address & ~(uint64_t)(line_bytes - 1);
    uint32_t i = 0;
    while (i < count && lines[i] != line) i++;
    lines[i] = line;
    if (i == count) count++;
  }
  return count;
}
