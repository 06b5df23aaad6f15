// SPDX-License-Identifier: MIT
// Policies around the L1D. Calls are made in a fixed order (shared parts, insertion, warp
// scheduler, prefetcher), since later ones may read what earlier ones left in a shared part:
// SAP reads the group that LAWS has just chosen.
#include "sm/lsu/l1d_policies.h"

#include "sm/sm.h"

static bool wants_accesses(const L1dPolicies *policies, const WarpSchedulerType *scheduler) {
  const L1InsertionType *insertion = policies->insertion;
  return policies->watcher_count || policies->prefetch->on_access || scheduler->on_access ||
         scheduler->on_evict || insertion->keeps || insertion->priority || insertion->on_access;
}

Status l1d_policies_init(Sm *sm, const SmSetup *setup, Error *err) {
  L1dPolicies *policies = ARENA_NEW(&sm->arena, L1dPolicies);
  policies->sm = sm;
  const PolicyType *type;
  PolicyPlace place = {.sm = sm->id, .cluster = sm->cluster};
  TRY(policy_host_make(setup->policies, &prefetch_family, setup->prefetch, place, &type,
                       &policies->prefetch_state, err));
  policies->prefetch = (const PrefetchType *)type;
  TRY(policy_host_make(setup->policies, &l1_insertion_family, setup->l1_insertion, place, &type,
                       &policies->insertion_state, err));
  policies->insertion = (const L1InsertionType *)type;
  sm->l1d_policies = policies;
  return OK;
}

static void add_watchers(Sm *sm, L1dPolicies *policies, const PolicyHost *host) {
  policies->watchers = ARENA_ARRAY(&sm->arena, L1dWatcher, host->shared_count);
  for (uint32_t i = 0; i < host->shared_count; i++) {
    const SharedInstance *part = &host->shared[i];
    const SharedType *type = (const SharedType *)part->type;
    if (!part->per_sm || !type->on_access) continue;
    policies->watchers[policies->watcher_count++] = (L1dWatcher){type, part->states[sm->id]};
  }
}

// lsu.policies stays NULL if no policy needs accesses: the usual run pays one test per lookup.
void l1d_policies_start(Sm *sm, const PolicyHost *host) {
  L1dPolicies *policies = sm->l1d_policies;
  add_watchers(sm, policies, host);
  if (!sm->lsu.l1_parts || !wants_accesses(policies, sm->scheduler_type)) return;
  prefetch_ring_init(&policies->waiting, sm->config->prefetch_entries);
  sm->lsu.policies = policies;
}

void l1d_policies_clear(Sm *sm) {
  if (!sm->lsu.policies) return;
  prefetch_ring_clear(&sm->lsu.policies->waiting);
  noted_lanes_clear(&sm->lsu.policies->lanes);
}

// Called when an SM that was empty gets a CTA: candidates of the kernel before would fetch its
// lines.
void l1d_policies_forget(L1dPolicies *policies) {
  PrefetchRing *waiting = &policies->waiting;
  while (!prefetch_ring_is_empty(waiting)) prefetch_ring_pop(waiting);
}

// ---- what policies see

// A place in the pool may have been a load's before: asynchronous copies are looked up, too.
void l1d_policies_issue(L1dPolicies *policies, const Inflight *inflight,
                        const MemoryAccess *access) {
  if (!policies->prefetch->reads_data) return;
  bool is_global = inflight->path == PATH_L1D && !inflight->is_local;
  if (is_global && inflight->info->is_load)
    noted_lanes_add(&policies->lanes, inflight->index, access, policies->sm->context.memory,
                    policies->sm->l1d_line_bytes);
  else
    noted_lanes_forget(&policies->lanes, inflight->index);
}

static Cache *part_of(const Sm *sm, uint32_t part) {
  return sm->lsu.l1d[part];
}

// The last allocation is remembered: consecutive accesses are mostly to the same one.
static void find_buffer(Sm *sm, L1dPolicies *policies, uint64_t address) {
  if (address - policies->buffer < policies->buffer_bytes) return;
  const Allocation *buffer = device_memory_find(sm->context.memory, address);
  policies->buffer = buffer ? buffer->address : 0;
  policies->buffer_bytes = buffer ? buffer->size_bytes : 0;
}

static void *scheduler_of(const Sm *sm, uint32_t warp) {
  return sm->schedulers[warp % sm->config->warp_schedulers].state;
}

// A load without a waiter is a prefetch, which has no lanes.
static L1dAccess describe(Sm *sm, const MemRequest *request, Outcome outcome, Cycle now) {
  L1dPolicies *policies = sm->lsu.policies;
  uint32_t line_bytes = sm->l1d_line_bytes;
  L1dAccess access = {.now = now,
                      .lane_address = request->address,
                      .line = request->address & ~(uint64_t)(line_bytes - 1),
                      .line_bytes = line_bytes,
                      .outcome = (uint8_t)outcome,
                      .is_local = request->local,
                      .requester = request->requester,
                      .mshrs_free = cache_room(part_of(sm, request->l1_part)).mshrs,
                      .cta_warps = sm->ctas[request->requester.cta_slot].slots,
                      .warp_numbers = sm->warp_numbers};
  if (request->kind == REQUEST_READ && request->waiter != NO_WAITER) {
    const Inflight *inflight = sm->inflights.all[request->waiter];
    access.lane_address = inflight->lane_address;
    access.is_lowest = request->is_lowest;
    if (!request->local) access.lanes = noted_lanes_of(&policies->lanes, inflight->index);
  }
  if (!request->local) {
    find_buffer(sm, policies, request->address);
    access.buffer = policies->buffer;
    access.buffer_bytes = policies->buffer_bytes;
  }
  return access;
}

// ---- prefetches

// A prefetch for a warp's next execution of a load is stale once the warp executes that load.
// Stale entries are marked, not removed, because the ring keeps the order of requests.
static void note_stale(PrefetchRing *waiting, const Requester *requester) {
  for (uint32_t i = 0; i < waiting->count; i++) {
    WaitingPrefetch *at = prefetch_ring_at(waiting, i);
    at->is_stale |= at->candidate.for_next && at->candidate.warp == requester->warp &&
                    at->requester.pc == requester->pc;
  }
}

// Those take no slot of the L1D.
static void drop_stale(const Sm *sm) {
  PrefetchRing *waiting = &sm->lsu.policies->waiting;
  while (!prefetch_ring_is_empty(waiting) && prefetch_ring_front(waiting)->is_stale)
    cache_prefetch_stats(part_of(sm, prefetch_ring_pop(waiting).part))->stale++;
}

// A stride that leaves the buffer would fetch unrelated data. A full queue drops the candidate
// instead of stalling the load.
static void add_candidate(L1dPolicies *policies, PrefetchStats *stats, const L1dAccess *access,
                          const PrefetchCandidate *candidate, uint8_t part) {
  stats->candidates++;
  bool is_outside = candidate->address - access->buffer >= access->buffer_bytes;
  if (access->buffer_bytes && is_outside && !candidate->anywhere) {
    stats->outside++;
  } else if (prefetch_ring_is_full(&policies->waiting)) {
    stats->crowded++;
  } else {
    prefetch_ring_push(
        &policies->waiting,
        (WaitingPrefetch){.candidate = *candidate, .requester = access->requester, .part = part});
  }
}

static void ask_for_prefetches(Sm *sm, const L1dAccess *access, uint8_t part) {
  L1dPolicies *policies = sm->lsu.policies;
  PrefetchList list;
  prefetch_ask(policies->prefetch, policies->prefetch_state, access, &list);
  if (policies->prefetch->policy.storage_bits) sm->lsu.stats.table_lookups++;
  PrefetchStats *stats = cache_prefetch_stats(part_of(sm, part));
  for (uint32_t i = 0; i < list.count; i++)
    add_candidate(policies, stats, access, &list.candidates[i], part);
}

static void notify_eviction(Sm *sm, const EvictedLine *evicted, Cycle now) {
  const L1dPolicies *policies = sm->lsu.policies;
  if (evicted->was_unused && policies->prefetch->on_outcome)
    policies->prefetch->on_outcome(policies->prefetch_state, evicted->address, false, now);
  if (sm->scheduler_type->on_evict)
    sm->scheduler_type->on_evict(scheduler_of(sm, evicted->warp), (int)evicted->warp,
                                 evicted->address);
}

// Reports the effects of an access, a fill or a prefetch: outcomes of earlier prefetches,
// and evicted lines.
static void notify_effects(Sm *sm, uint32_t part, uint64_t line, Cycle now) {
  const L1dPolicies *policies = sm->lsu.policies;
  const CacheEffects *effects = cache_effects(part_of(sm, part));
  if (effects->used_prefetch && policies->prefetch->on_outcome)
    policies->prefetch->on_outcome(policies->prefetch_state, line, true, now);
  for (uint32_t i = 0; i < effects->eviction_count; i++)
    notify_eviction(sm, &effects->evictions[i], now);
}

static MemRequest *make_prefetch(Sm *sm, const WaitingPrefetch *waiting, Cycle now) {
  MemRequest *request = request_pool_take(&sm->requests);
  uint32_t bytes = sm->l1d_unit_bytes;
  request->address = waiting->candidate.address & ~(uint64_t)(bytes - 1);
  request->bytes = (uint16_t)bytes;
  request->kind = REQUEST_PREFETCH;
  request->touched_sectors = (uint8_t)((1u << bytes / SECTOR_BYTES) - 1);
  request->requester = waiting->requester;
  request->l1_part = waiting->part;
  request->created = now;
  request->waiter = NO_WAITER;
  return request;
}

// Returns false if the L1D cannot accept it now.
// on_sent is also called for redundant prefetches: for the policy they have taken effect.
static bool issue_prefetch(Sm *sm, Cycle now) {
  PrefetchRing *ring = &sm->lsu.policies->waiting;
  const WaitingPrefetch waiting = *prefetch_ring_front(ring);
  Cache *l1d = part_of(sm, waiting.part);
  MemRequest *request = make_prefetch(sm, &waiting, now);
  CacheResult result = cache_prefetch(l1d, request, request->address, now);
  if (result != CACHE_MISS) request_pool_give(&sm->requests, request);
  if (result == CACHE_FAIL) return false;
  prefetch_ring_pop(ring);
  sm->lsu.signals.did_something = true;
  const L1dPolicies *policies = sm->lsu.policies;
  if (policies->prefetch->on_sent)
    policies->prefetch->on_sent(policies->prefetch_state, &waiting.candidate, now);
  if (result != CACHE_MISS) {
    cache_prefetch_stats(l1d)->present++;
    return true;
  }
  sm->lsu.prefetches++;
  notify_effects(sm, waiting.part, request->address, now);
  return true;
}

// Prefetches take only slots that demand accesses left over.
void l1d_policies_prefetch(L1dPolicies *policies, uint32_t slots, Cycle now) {
  Sm *sm = policies->sm;
  PrefetchRing *waiting = &policies->waiting;
  drop_stale(sm);
  while (slots-- && !prefetch_ring_is_empty(waiting)) {
    if (!issue_prefetch(sm, now)) return;
    drop_stale(sm);
  }
}

// ---- lookups and fills

// A load was looked up, or would have missed and is sent past the cache.
static void note_load(Sm *sm, const MemRequest *request, Outcome outcome, Cycle now) {
  L1dPolicies *policies = sm->lsu.policies;
  L1dAccess access = describe(sm, request, outcome, now);
  if (access.is_lowest) note_stale(&policies->waiting, &access.requester);
  for (uint32_t i = 0; i < policies->watcher_count; i++) {
    const L1dWatcher *watcher = &policies->watchers[i];
    watcher->type->on_access(watcher->state, &access);
    if (watcher->type->policy.storage_bits) sm->lsu.stats.table_lookups++;
  }
  if (policies->insertion->on_access)
    policies->insertion->on_access(policies->insertion_state, &access);
  const WarpSchedulerType *scheduler = sm->scheduler_type;
  void *scheduler_state = scheduler_of(sm, access.requester.warp);
  if (scheduler->on_access) scheduler->on_access(scheduler_state, &access);
  if (scheduler->on_access && scheduler->policy.storage_bits) sm->lsu.stats.table_lookups++;
  if (policies->prefetch->on_access) ask_for_prefetches(sm, &access, request->l1_part);
}

void l1d_policies_note(L1dPolicies *policies, const MemRequest *request, CacheResult result,
                       Cycle now) {
  Sm *sm = policies->sm;
  uint64_t line = request->address & ~(uint64_t)(sm->l1d_line_bytes - 1);
  notify_effects(sm, request->l1_part, line, now);
  if (request->kind != REQUEST_READ) return;
  bool merged = result == CACHE_HIT_PENDING;
  note_load(sm, request,
            result == CACHE_HIT ? OUTCOME_HIT : (merged ? OUTCOME_MERGE : OUTCOME_MISS), now);
}

// Probed first: insertion decides on misses only, and a line that is present or in flight is
// used. bypass_l1 records the decision, so that a request that waits for the network is not
// decided twice.
L1dPass l1d_policies_pass(L1dPolicies *policies, MemRequest *request, Cycle now) {
  Sm *sm = policies->sm;
  Cache *l1d = part_of(sm, request->l1_part);
  if (request->kind != REQUEST_READ || !policies->insertion->keeps) return PASS_LOOKS_UP;
  if (!request->bypass_l1) {
    if (cache_probe(l1d, request->address, request->address) != CACHE_MISS) return PASS_LOOKS_UP;
    L1dAccess access = describe(sm, request, OUTCOME_MISS, now);
    if (policies->insertion->keeps(policies->insertion_state, &access)) return PASS_LOOKS_UP;
    request->bypass_l1 = true;
  }
  if (!network_port_send(&sm->network, request, now)) return PASS_WAITS;
  sm->lsu.signals.did_something = true;
  cache_count_pass(l1d, request->address);
  sm->lsu.stats.passes++;
  note_load(sm, request, OUTCOME_MISS, now);
  return PASS_GONE;
}

void l1d_policies_fill(L1dPolicies *policies, const MemRequest *request, Cycle now) {
  Sm *sm = policies->sm;
  if (request->kind == REQUEST_CONSTANT || request->kind == REQUEST_TEXTURE) return;
  notify_effects(sm, request->l1_part, request->address, now);
  if (request->kind == REQUEST_PREFETCH && policies->prefetch->on_fill)
    policies->prefetch->on_fill(policies->prefetch_state, request->address, now);
  bool is_load = request->kind == REQUEST_READ && request->waiter != FETCH_ONLY;
  if (!is_load || !policies->insertion->priority) return;
  L1dAccess access = describe(sm, request, OUTCOME_MISS, now);
  if (l1_insertion_priority(policies->insertion, policies->insertion_state, &access) ==
      INSERT_FIRST_OUT)
    cache_demote(part_of(sm, request->l1_part), request->address, request->address);
}
