// SPDX-License-Identifier: MIT
// Locality-aware warp scheduling: warps that will soon execute the same load are
// prioritised if it hits, deprioritised if it misses, and prioritised again after a
// prefetch for them.
//
// Oh et al., "APRES: Improving Cache Efficiency by Exploiting Load
// Characteristics on GPUs", ISCA 2016, section IV-A. Warps issue in the order of a
// queue, greedily. The last-load table (LLT) has each warp's last load; when a
// warp issues its next one, all warps with the same last load form its group (an entry
// of the warp-group table, WGT), and the L1D outcome of that warp, the head, determines
// the treatment of the group.
//
// Choices that the paper leaves open: the transaction of the lowest lane, whose address
// SAP keeps, represents the load; a merge with a fetch in flight is a hit by default; a
// warp that has executed the load since its group was formed moves with the group, but
// is not prefetched for (section IV-A: "a subset of warps in the group"); warps without
// a load so far have the same last load, none; with a full WGT a new group replaces the
// oldest; prefetched-for warps keep the order of their prefetches. One queue serves all
// schedulers of an SM: each takes the first of its own warps.
#include "policies/shared/prefetch_group.h"
#include "policies/warp_scheduler/load_limit.h"
#include "policies/warp_scheduler/warp_scheduler.h"

enum { WARPS = PREFETCH_GROUP_WARPS, MOST_GROUPS = 1024, NO_LOAD = 0 };

typedef struct WarpGroup {
  uint64_t warps;  // 0: the entry is free
  uint64_t behind; // of these, the ones that have not executed the head's load since
  uint32_t load;   // of the head that is in flight, as in the LLT
  int head;
} WarpGroup;

typedef struct Laws {
  uint32_t groups;               // parameters
  bool merges_hit;
  bool limits_loads;
  uint32_t epoch_cycles;
  uint8_t queue[WARPS];          // warps, the first to issue in front
  uint32_t count;
  uint32_t targets;              // of which this many in front were prefetched for
  uint64_t present;              // warps in the queue
  uint32_t last_load[WARPS];     // LLT: pc + 1, or NO_LOAD
  WarpGroup *table;              // WGT: groups of them
  uint32_t next_group;
  PrefetchGroup *shared;         // with the prefetcher
  LoadLimit limit;               // if it limits loads
  uint64_t formed, formed_warps, hits, misses, replaced, promoted;
} Laws;

static uint64_t bit_of(int warp) {
  return UINT64_C(1) << warp;
}

// ---- the queue

static void remove_warp(Laws *laws, int warp) {
  uint32_t at = 0;
  while (laws->queue[at] != warp) at++;
  if (at < laws->targets) laws->targets--;
  laws->count--;
  for (; at < laws->count; at++) laws->queue[at] = laws->queue[at + 1];
}

static void insert_warp(Laws *laws, uint32_t at, int warp) {
  for (uint32_t i = laws->count++; i > at; i--) laws->queue[i] = laws->queue[i - 1];
  laws->queue[at] = (uint8_t)warp;
}

// Moves the group, in its current order, to one end of the queue.
static void move_group(Laws *laws, uint64_t group, bool to_front) {
  uint8_t moved[WARPS], rest[WARPS];
  uint32_t moved_count = 0, rest_count = 0;
  for (uint32_t i = 0; i < laws->count; i++)
    if (group & bit_of(laws->queue[i]))
      moved[moved_count++] = laws->queue[i];
    else
      rest[rest_count++] = laws->queue[i];
  uint32_t moved_at = to_front ? 0 : rest_count, rest_at = to_front ? moved_count : 0;
  for (uint32_t i = 0; i < moved_count; i++) laws->queue[moved_at + i] = moved[i];
  for (uint32_t i = 0; i < rest_count; i++) laws->queue[rest_at + i] = rest[i];
  laws->targets = 0;
}

// Prefetched-for warps are placed after those of earlier prefetches.
static void take_notes(Laws *laws) {
  PrefetchGroup *shared = laws->shared;
  for (uint32_t i = 0; i < shared->fetched_count; i++) {
    remove_warp(laws, shared->fetched[i]);
    insert_warp(laws, laws->targets++, shared->fetched[i]);
  }
  laws->promoted += shared->notes;
  shared->fetched_count = 0;
  shared->notes = 0;
}

static void laws_on_warp(void *state, const Requester *requester, bool begins) {
  Laws *laws = state;
  int warp = requester->warp;
  take_notes(laws);
  if (laws->limits_loads) load_limit_on_warp(&laws->limit, requester, begins);
  if (begins) {
    laws->last_load[warp] = NO_LOAD;
    laws->present |= bit_of(warp);
    insert_warp(laws, laws->count, warp);
  } else {
    laws->present &= ~bit_of(warp);
    remove_warp(laws, warp);
  }
  laws->shared->present = laws->present;
}

static int laws_pick(void *state, const IssueView *view) {
  Laws *laws = state;
  if (laws->shared->fetched_count) take_notes(laws);
  uint64_t allowed = laws->limits_loads ? load_limit_allowed(&laws->limit, view) : view->candidates;
  for (uint32_t i = 0; i < laws->count; i++)
    if (allowed & bit_of(laws->queue[i])) return laws->queue[i];
  // Every warp is in the queue: without a limit, the machine would reject ISSUE_NONE.
  return laws->limits_loads ? ISSUE_NONE : WARPS;
}

// ---- groups

// A warp that executes the load of a group is no longer to be prefetched for.
static void catch_up(Laws *laws, uint32_t warp, uint32_t load) {
  for (uint32_t i = 0; i < laws->groups; i++)
    if (laws->table[i].load == load) laws->table[i].behind &= ~bit_of((int)warp);
}

static void laws_on_load(void *state, const Requester *requester) {
  Laws *laws = state;
  uint32_t warp = requester->warp, pc = requester->pc;
  catch_up(laws, warp, pc + 1);
  uint32_t last = laws->last_load[warp];
  WarpGroup *group = &laws->table[laws->next_group];
  laws->next_group = (laws->next_group + 1) % laws->groups;
  laws->replaced += group->warps != 0;
  *group = (WarpGroup){.load = pc + 1, .head = (int)warp};
  for (uint64_t left = laws->present; left; left &= left - 1) {
    int other = __builtin_ctzll(left);
    if (laws->last_load[other] == last) group->warps |= bit_of(other);
  }
  group->behind = group->warps;
  laws->last_load[warp] = pc + 1;
  laws->formed++;
  laws->formed_warps += (uint64_t)__builtin_popcountll(group->warps);
}

// The oldest group that waits for this load of this warp, or NULL.
static WarpGroup *group_of(Laws *laws, int head, uint32_t load) {
  for (uint32_t i = 0; i < laws->groups; i++) {
    WarpGroup *group = &laws->table[(laws->next_group + i) % laws->groups];
    if (group->warps && group->head == head && group->load == load) return group;
  }
  return NULL;
}

static void laws_on_access(void *state, const L1dAccess *access) {
  Laws *laws = state;
  laws->shared->missed = 0;
  if (laws->limits_loads) {
    load_limit_on_access(&laws->limit, access, laws->epoch_cycles);
    laws->shared->limit_is_tried = load_limit_is_tried(&laws->limit);
  }
  if (!access->is_lowest) return;
  WarpGroup *group = group_of(laws, (int)access->requester.warp, access->requester.pc + 1);
  if (!group) return;
  bool hit = access->outcome == OUTCOME_HIT || (access->outcome == OUTCOME_MERGE && laws->merges_hit);
  take_notes(laws);
  move_group(laws, group->warps, hit);
  if (!hit) laws->shared->missed = (group->behind | bit_of(group->head)) & laws->present;
  laws->hits += hit;
  laws->misses += !hit;
  group->warps = 0;
}

static void laws_on_evict(void *state, int warp, uint64_t line) {
  Laws *laws = state;
  (void)warp;
  if (laws->limits_loads) load_limit_on_evict(&laws->limit, line);
}

static Status laws_init(void *state, const PolicySetup *setup, Error *err) {
  Laws *laws = state;
  (void)err;
  laws->table = ARENA_ARRAY(setup->arena, WarpGroup, laws->groups);
  laws->shared = setup->shared;
  return OK;
}

// Table II: four bytes per warp in the LLT, a bit per warp in each entry of the
// WGT. A second bit (`behind`) is not in the paper's table and is left out.
static uint64_t laws_storage_bits(const void *state, uint32_t warps) {
  return (uint64_t)warps * 32 + (uint64_t)warps * ((const Laws *)state)->groups;
}

static const Param laws_params[] = {
    PARAM(Laws, groups, 3, 1, MOST_GROUPS, "warp-group table entries"),
    PARAM(Laws, merges_hit, true, 0, 1,
          "a load that merges with a fetch in flight counts as a hit"),
    PARAM(Laws, limits_loads, false, 0, 1,
          "fewer warps may load while warps lose their lines (not in the paper)"),
    PARAM(Laws, epoch_cycles, 4096, 256, 1 << 20,
          "limits_loads: trial length of a limit in cycles"),
    {0}};

static const Stat laws_stats[] = {
    STAT_COUNT(Laws, formed, "groups, one per load"),
    STAT_RATIO(Laws, group_warps, formed_warps, formed, "warps per group"),
    STAT_COUNT(Laws, hits, "groups moved to the front"),
    STAT_COUNT(Laws, misses, "groups moved to the back"),
    STAT_COUNT(Laws, replaced, "groups dropped: table full"),
    STAT_COUNT(Laws, promoted, "warps moved to the front by a prefetch"),
    {0}};

const WarpSchedulerType laws_scheduler = {
    .policy = {.name = "laws",
               .summary =
                   "locality-aware: warps before the same load move to the front or back together",
               .state_size = sizeof(Laws),
               .params = laws_params,
               .stats = laws_stats,
               .storage_bits = laws_storage_bits,
               .shares = "prefetch_group",
               .init = laws_init},
    .one_per_sm = true,
    .pick = laws_pick,
    .on_warp = laws_on_warp,
    .on_load = laws_on_load,
    .on_access = laws_on_access,
    .on_evict = laws_on_evict,
};
