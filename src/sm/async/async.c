// SPDX-License-Identifier: MIT
// Epochs, groups and waits of asynchronous copies and products of an SM.
#include "sm/async/async.h"

#include "base/memory.h"
#include "sm/sm.h"

// Powers of two. With as many epochs in flight as fit, further operations join the last one; a wait
// that leaves more groups than are remembered waits for the oldest remembered one.
enum { EPOCHS = 32, COMMITS = 16 };

typedef struct AsyncGroups {
  uint16_t pending[EPOCHS];   // operations in flight, by epoch
  uint32_t commits[COMMITS];  // the epoch of each commit
  uint32_t open;              // epoch that operations join
  uint32_t oldest;            // the first that is not over, or open
  uint32_t committed;         // groups
  uint32_t awaited;           // the warp waits until all before this epoch are over
  bool waits;
} AsyncGroups;

// What follows copies of a warp, when they are over.
typedef struct Deferred {
  AsyncNote note;
  uint32_t warp, kind, epoch;  // applied when all epochs before this one are over
} Deferred;

typedef struct HeldWait {
  AsyncWait wait;
  Inflight *inflight;
  const Warp *warp;
  size_t predicate;  // where it is in the warp's registers, which may move
  Cycle until;
  bool has_arrived;  // at the write-back: it is held here
} HeldWait;

struct SmAsync {
  AsyncGroups groups[ASYNC_KINDS][MAX_WARPS_PER_SM];
  Deferred *deferred;
  uint32_t deferred_count, deferred_capacity;
  HeldWait *waits;
  uint32_t wait_count, wait_capacity;
  bool has_changed;  // an mbarrier, since waits were looked at
};

static uint64_t bit_of(uint32_t w) {
  return UINT64_C(1) << w;
}

static SmAsync *async_of(Sm *sm) {
  if (!sm->async) sm->async = memory_alloc(sizeof *sm->async);
  return sm->async;
}

void sm_async_clear(Sm *sm) {
  if (!sm->async) return;
  memory_free(sm->async->deferred);
  memory_free(sm->async->waits);
  memory_free(sm->async);
}

void sm_async_begin_warp(Sm *sm, uint32_t w) {
  for (int kind = 0; sm->async && kind < ASYNC_KINDS; kind++)
    sm->async->groups[kind][w] = (AsyncGroups){0};
}

// ---- mbarriers

static void fault(Sm *sm, const AsyncNote *note, int lane) {
  fault_raise(&sm->context, note->warp, FAULT_BAD_MBARRIER, lane);
  if (!sm->faulty) sm->faulty = note->warp;
}

static void apply(Sm *sm, const AsyncNote *note) {
  int lane;
  if (!async_apply(note, &lane)) fault(sm, note, lane);
  sm->async->has_changed = true;
  sm->did_something = true;
}

// ---- groups

static void settle(AsyncGroups *groups) {
  while (groups->oldest != groups->open && !groups->pending[groups->oldest % EPOCHS])
    groups->oldest++;
}

// Returns the epoch that must be reached for all operations so far to be over.
static uint32_t close_epoch(AsyncGroups *groups) {
  settle(groups);
  if (groups->open - groups->oldest == EPOCHS - 1) return groups->open + 1;  // it stays open
  groups->open++;
  settle(groups);
  return groups->open;
}

// Whether all before the epoch are over.
static bool is_over(const AsyncGroups *groups, uint32_t epoch) {
  bool is_last_over = groups->oldest == groups->open && !groups->pending[groups->open % EPOCHS];
  return (int32_t)(groups->oldest + is_last_over - epoch) >= 0;
}

static void commit(AsyncGroups *groups) {
  groups->commits[groups->committed++ % COMMITS] = close_epoch(groups);
}

// The epoch before which all must be over so that at most `left` groups are not.
static uint32_t epoch_of_wait(AsyncGroups *groups, uint32_t left) {
  if (left >= groups->committed) return groups->oldest;
  if (left >= COMMITS) left = COMMITS - 1;
  return groups->commits[(groups->committed - 1 - left) % COMMITS];
}

static void begin_wait(Sm *sm, AsyncGroups *groups, uint32_t w, uint32_t epoch) {
  settle(groups);
  if (is_over(groups, epoch)) return;
  groups->awaited = epoch;
  groups->waits = true;
  sm->at_copies |= bit_of(w);
}

static void end_wait(Sm *sm, AsyncGroups *groups, uint32_t w) {
  if (!groups->waits || !is_over(groups, groups->awaited)) return;
  groups->waits = false;
  sm->at_copies &= ~bit_of(w);
  sm->did_something = true;
}

// ---- what follows copies

static void defer(Sm *sm, uint32_t w, uint32_t kind, uint32_t epoch) {
  SmAsync *async = sm->async;
  if (is_over(&async->groups[kind][w], epoch)) {
    apply(sm, &sm->note);
    return;
  }
  GROW(async->deferred, async->deferred_count, async->deferred_capacity);
  async->deferred[async->deferred_count++] =
      (Deferred){.note = sm->note, .warp = w, .kind = kind, .epoch = epoch};
}

static void apply_deferred(Sm *sm, uint32_t w, uint32_t kind) {
  SmAsync *async = sm->async;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < async->deferred_count; i++) {
    Deferred *deferred = &async->deferred[i];
    bool is_due = deferred->warp == w && deferred->kind == kind &&
                  is_over(&async->groups[kind][w], deferred->epoch);
    if (is_due)
      apply(sm, &deferred->note);
    else
      async->deferred[kept++] = *deferred;
  }
  async->deferred_count = kept;
}

void sm_async_done(Sm *sm, const Inflight *inflight) {
  if (!inflight->is_async) return;
  uint32_t w = inflight->warp, kind = inflight->async_kind;
  AsyncGroups *groups = &sm->async->groups[kind][w];
  groups->pending[inflight->epoch]--;
  settle(groups);
  end_wait(sm, groups, w);
  if (sm->async->deferred_count) apply_deferred(sm, w, kind);
}

// ---- waits on mbarriers

static void hold_wait(Sm *sm, Inflight *inflight) {
  SmAsync *async = sm->async;
  const Warp *warp = sm->warps[inflight->warp].warp;
  size_t predicate = (size_t)((uint8_t *)sm->wait.predicate - warp->registers);
  GROW(async->waits, async->wait_count, async->wait_capacity);
  async->waits[async->wait_count++] =
      (HeldWait){.wait = sm->wait,
                 .inflight = inflight,
                 .warp = warp,
                 .predicate = predicate,
                 .until = sm->context.clock + sm->config->mbarrier_wait_cycles};
}

// Writes the predicate; true if nothing is left to wait for.
static bool try_wait(HeldWait *held, Cycle now) {
  uint32_t over = async_over(&held->wait), *predicate;
  predicate = (uint32_t *)(void *)(held->warp->registers + held->predicate);
  *predicate = (*predicate & ~held->wait.mask) | over;
  return over == held->wait.mask || held->until <= now;
}

static HeldWait *find_wait(const SmAsync *async, const Inflight *inflight) {
  for (uint32_t i = 0; i < async->wait_count; i++)
    if (async->waits[i].inflight == inflight) return &async->waits[i];
  return NULL;
}

bool sm_async_holds(Sm *sm, Inflight *inflight) {
  SmAsync *async = sm->async;
  if (!async) return false;
  HeldWait *held = find_wait(async, inflight);
  if (!held) return false;
  if (try_wait(held, sm->context.clock)) {
    *held = async->waits[--async->wait_count];
    return false;
  }
  held->has_arrived = true;
  sm->at_mbarrier |= bit_of(inflight->warp);
  return true;
}

static void release_wait(Sm *sm, uint32_t i) {
  SmAsync *async = sm->async;
  Inflight *inflight = async->waits[i].inflight;
  async->waits[i] = async->waits[--async->wait_count];
  sm->at_mbarrier &= ~bit_of(inflight->warp);
  sm_release(sm, inflight);
  inflight_pool_give(&sm->inflights, inflight);
  sm->did_something = true;
}

Cycle sm_async_next(const Sm *sm) {
  const SmAsync *async = sm->async;
  Cycle next = NEVER;
  if (!async) return next;
  for (uint32_t i = 0; i < async->wait_count; i++)
    if (async->waits[i].has_arrived) next = cycle_earlier(next, async->waits[i].until);
  return async->has_changed ? 0 : next;
}

void sm_async_tick(Sm *sm, Cycle now) {
  SmAsync *async = sm->async;
  if (!async->wait_count) {
    async->has_changed = false;
    return;
  }
  if (!async->has_changed && sm_async_next(sm) > now) return;
  async->has_changed = false;
  for (uint32_t i = 0; i < async->wait_count;) {
    HeldWait *held = &async->waits[i];
    if (held->has_arrived && try_wait(held, now))
      release_wait(sm, i);
    else
      i++;
  }
}

void sm_async_changed(Sm *sm) {
  if (sm->async) sm->async->has_changed = true;
}

// ---- issue

static void begin_operation(AsyncGroups *groups, Inflight *inflight, AsyncKind kind) {
  inflight->is_async = true;
  inflight->async_kind = (uint8_t)kind;
  inflight->epoch = (uint8_t)(groups->open % EPOCHS);
  groups->pending[groups->open % EPOCHS]++;
}

void sm_async_issue(Sm *sm, uint32_t w, Inflight *inflight, const Instruction *in) {
  const IssueInfo *info = inflight->info;
  SmAsync *async = async_of(sm);
  AsyncKind kind = (AsyncKind)info->async_kind;
  AsyncGroups *groups = &async->groups[kind][w];
  switch ((AsyncRole)info->async) {
    case ASYNC_OPERATION:
      begin_operation(groups, inflight, kind);
      // Its bytes are known to an mbarrier, not to a group.
      if (sm->note.mask) defer(sm, w, kind, close_epoch(groups));
      break;
    case ASYNC_COMMIT: commit(groups); break;
    case ASYNC_WAIT: begin_wait(sm, groups, w, epoch_of_wait(groups, (uint32_t)in->offset)); break;
    case ASYNC_WAIT_ALL: begin_wait(sm, groups, w, close_epoch(groups)); break;
    case ASYNC_ARRIVE:
      if (sm->note.mask) defer(sm, w, kind, close_epoch(groups));
      break;
    case ASYNC_MBARRIER: async->has_changed = true; break;
    case ASYNC_TRY_WAIT:
      if (sm->wait.mask) hold_wait(sm, inflight);
      break;
    default: break;
  }
  sm->note.mask = sm->wait.mask = 0;
}
