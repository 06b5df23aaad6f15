// SPDX-License-Identifier: MIT
// Oracle prefetcher with perfect knowledge from a recorded run: a bound for every
// prefetcher that predicts addresses.
//
// target=group measures the benefit of exact addresses to SAP: when the head of a group
// of laws misses, a prefetch is issued for each other warp of the group, at the address
// of its next execution of that load. target=self measures the benefit of timeliness:
// each load prefetches the loads of its warp up to `ahead` loads later.
//
// A record is a load's lowest transaction (policies/load_trace.h), and only that is
// fetched. If a run deviates from the recorded one, because of races or a different
// numbering of CTAs, the position in the recording is searched again and, if not found,
// counted as lost.
#include "policies/load_trace.h"
#include "policies/prefetch/prefetch.h"
#include "policies/shared/prefetch_group.h"

typedef enum OracleTargets { FOR_GROUP, FOR_SELF } OracleTargets;
static const char *const target_rules[] = {"group", "self", NULL};

enum { LOADS_SEARCHED = 64 };

// Position of a warp in the recording. Loads of a warp may reach the L1D in a different
// order in the two runs: those that came early are marked.
typedef struct TracePlace {
  uint64_t cta;
  uint32_t kernel, warp;
  bool is_known;
  const TracedWarp *of;    // NULL: it is not in it
  uint64_t next, fetched;  // the first load that it has not done; the first not prefetched
  uint64_t done;           // bit i: load next + i has been done
} TracePlace;

typedef struct Oracle {
  char file[POLICY_SPEC_BYTES];  // parameters
  uint32_t target, ahead;        // OracleTargets
  LoadTrace trace;
  TracePlace places[PREFETCH_WARPS];  // by slot
  PrefetchGroup *group;          // shared with the warp scheduler
  uint64_t found, lost;
} Oracle;

static TracePlace *place_of(Oracle *oracle, uint32_t slot, uint32_t kernel, uint64_t cta,
                       uint32_t warp) {
  TracePlace *place = &oracle->places[slot];
  if (place->is_known && place->kernel == kernel && place->cta == cta && place->warp == warp)
    return place;
  *place = (TracePlace){.cta = cta, .kernel = kernel, .warp = warp, .is_known = true};
  place->of = load_trace_find(&oracle->trace, kernel, cta, warp);
  return place;
}

static const TracedLoad *load_at(const Oracle *oracle, const TracePlace *place, uint64_t i) {
  return place->of && i < place->of->count ? &oracle->trace.loads[place->of->first + i] : NULL;
}

// The next execution of a load by the warp, and how far it is; NULL: none is near.
static const TracedLoad *next_of(const Oracle *oracle, const TracePlace *place, uint32_t pc,
                                 uint64_t *at) {
  for (uint64_t i = 0; i < LOADS_SEARCHED; i++) {
    const TracedLoad *load = load_at(oracle, place, place->next + i);
    *at = i;
    if (!load) return NULL;
    if (load->pc == pc && !(place->done >> i & 1)) return load;
  }
  return NULL;
}

static void advance(Oracle *oracle, TracePlace *place, const L1dAccess *access) {
  uint64_t at;
  bool is_found = next_of(oracle, place, access->requester.pc, &at) != NULL;
  oracle->found += is_found;
  oracle->lost += !is_found;
  if (is_found) place->done |= UINT64_C(1) << at;
  for (; place->done & 1; place->done >>= 1) place->next++;
}

// The other warps of the group, by their numbers in the grid.
static void fetch_for_group(Oracle *oracle, const L1dAccess *access, PrefetchList *list) {
  uint64_t others = prefetch_group_of(oracle->group, access->requester.warp);
  uint64_t warps_per_cta = (uint64_t)__builtin_popcountll(access->cta_warps);
  if (access->outcome != OUTCOME_MISS || !warps_per_cta) return;
  for (others &= ~(UINT64_C(1) << access->requester.warp); others; others &= others - 1) {
    uint32_t slot = (uint32_t)__builtin_ctzll(others);
    uint64_t number = access->warp_numbers[slot], at;
    TracePlace *place = place_of(oracle, slot, access->requester.kernel, number / warps_per_cta,
                                 (uint32_t)(number % warps_per_cta));
    const TracedLoad *load = next_of(oracle, place, access->requester.pc, &at);
    if (load) prefetch_add_for_next(list, load->address, (int)slot);
  }
}

static void fetch_for_self(const Oracle *oracle, TracePlace *place, uint32_t slot, PrefetchList *list) {
  if (place->fetched < place->next) place->fetched = place->next;
  for (; place->fetched < place->next + oracle->ahead && list->count < PREFETCH_MOST;
       place->fetched++) {
    const TracedLoad *load = load_at(oracle, place, place->fetched);
    if (!load) return;
    prefetch_add(list, load->address, (int)slot);
    list->candidates[list->count - 1].anywhere = true;
  }
}

static void oracle_on_access(void *state, const L1dAccess *access, PrefetchList *list) {
  Oracle *oracle = state;
  if (!access->is_lowest || access->is_local) return;
  const Requester *requester = &access->requester;
  TracePlace *place =
      place_of(oracle, requester->warp, requester->kernel, requester->cta, requester->warp_in_cta);
  advance(oracle, place, access);
  if (oracle->target == FOR_GROUP)
    fetch_for_group(oracle, access, list);
  else
    fetch_for_self(oracle, place, requester->warp, list);
}

static void oracle_on_sent(void *state, const PrefetchCandidate *candidate, Cycle now) {
  const Oracle *oracle = state;
  (void)now;
  if (oracle->target == FOR_GROUP) prefetch_group_note(oracle->group, (uint32_t)candidate->warp);
}

// Without a file it issues no prefetches.
static Status oracle_init(void *state, const PolicySetup *setup, Error *err) {
  Oracle *oracle = state;
  oracle->group = setup->shared;
  return *oracle->file ? load_trace_open(&oracle->trace, oracle->file, err) : OK;
}

static void oracle_clear(void *state) {
  load_trace_close(&((Oracle *)state)->trace);
}

static const Param oracle_params[] = {
    PARAM_TEXT(Oracle, file, "", "trace file written by --observe load_trace:file=PATH"),
    PARAM_CHOICE(Oracle, target, FOR_GROUP, target_rules,
                 "prefetch for the group of a head that misses, or for the loading warp"),
    PARAM(Oracle, ahead, 4, 1, 1024, "target=self: loads ahead"),
    {0}};

static const Stat oracle_stats[] = {STAT_COUNT(Oracle, found, "loads found in the recording"),
                                    STAT_COUNT(Oracle, lost, "loads missing from the recording"),
                                    {0}};

const PrefetchType oracle_prefetch = {
    .policy = {.name = "oracle",
               .summary = "exact addresses from a recorded run",
               .state_size = sizeof(Oracle),
               .params = oracle_params,
               .stats = oracle_stats,
               .shares = "prefetch_group",
               .init = oracle_init,
               .clear = oracle_clear},
    .on_access = oracle_on_access,
    .on_sent = oracle_on_sent,
};
