// SPDX-License-Identifier: MIT
// The queue before the L1D and its lookups. Transactions wait sm.l1_latency_cycles in the queue
// and are looked up at its head: the latency of a hit is spent before the lookup, as in
// GPGPU-Sim 4, so that a hit returns in the cycle of its lookup.
#include "base/memory.h"
#include "sm/lsu/lsu_stages.h"

// With the oracle the load has its data; the fetch continues independently.
static void answer_at_once(Lsu *lsu, MemRequest *request, Cycle now) {
  Inflight *inflight = lsu->ports.inflights->all[request->waiter];
  if (lsu->events) emit_answer(lsu->events, request, SERVED_BY_L1, now);
  // From here on the fetch is accounted for like a prefetch: it occupies its MSHR and the network,
  // but no instruction waits for it.
  request->waiter = NO_WAITER;
  lsu->prefetches++;
  lsu_serve(lsu, inflight, now);
}

static void l1d_done(Lsu *lsu, MemRequest *request, CacheResult result, Cycle now) {
  switch (result) {
    case CACHE_HIT:
      if (request->kind == REQUEST_WRITE) {
        lsu_acknowledge_all(lsu, request);
      } else {
        if (lsu->events) emit_answer(lsu->events, request, SERVED_BY_L1, now);
        Inflight *inflight = lsu_waiter_of(lsu, request);
        if (inflight) lsu_serve(lsu, inflight, now);
      }
      break;
    case CACHE_WRITE_KEPT: lsu_acknowledge_all(lsu, request); break;
    default:  // an answer will come
      if ((lsu->instant_misses || request->instant) && request->kind == REQUEST_READ)
        answer_at_once(lsu, request, now);
  }
}

void lsu_watch_lines(Lsu *lsu) {
  lsu_stop_watching(lsu);
  lsu->touched = memory_alloc(sizeof *lsu->touched);
}

void lsu_stop_watching(Lsu *lsu) {
  lsu->lines_touched = lsu->line_uses = 0;
  if (lsu->touched) seen_lines_clear(lsu->touched);
  memory_free(lsu->touched);
  lsu->touched = NULL;
}

// Distinct lines, for throttles that estimate a CTA's working set (policies/throttle/sampled.c).
// A store to an L1D without write-allocate takes no line and competes with no other CTA.
static void touch(Lsu *lsu, const MemRequest *request, uint64_t line) {
  if (request->kind == REQUEST_WRITE && !lsu->stores_allocate) return;
  lsu->lines_touched += seen_lines_add(lsu->touched, line);
  lsu->line_uses++;
}

// Outcome of an attempt: served or waiting in the cache; rejected by the cache; no space in
// the network.
typedef enum Try { TRY_WENT, TRY_REFUSED, TRY_WAITS } Try;

// Looks a request up, unless a policy sends it past the L1D.
static Try try_access(Lsu *lsu, MemRequest *request, FailReason *reason, Cycle now) {
  Cache *l1d = lsu->l1d[request->l1_part];
  L1dPass pass = lsu->policies ? l1d_policies_pass(lsu->policies, request, now) : PASS_LOOKS_UP;
  if (pass == PASS_WAITS) return TRY_WAITS;
  if (pass == PASS_GONE) {
    if (lsu->events) emit_bypass(lsu->events, request, now);
    return TRY_WENT;
  }
  CacheResult result = cache_access(l1d, request, 0, request->address, now, reason);
  if (result == CACHE_FAIL) return TRY_REFUSED;
  // Only after success: a rejected access is retried, and would be counted and reported twice.
  if (lsu->touched) touch(lsu, request, request->address / lsu->l1_line_bytes);
  if (lsu->events) emit_lookup(lsu->events, request, l1d, now);
  if (lsu->policies) l1d_policies_note(lsu->policies, request, result, now);
  l1d_done(lsu, request, result, now);
  lsu->signals.did_something = true;
  return TRY_WENT;
}

// Whether nothing has changed since the L1D rejected a request. lsu_unblock() clears the mark when
// a fill or a sent miss frees a resource; a miss at the head of the queue may be sent in any
// cycle. Otherwise the lookup is skipped: it would fail for the same reason.
static bool is_hopeless(const Lsu *lsu, const MemRequest *request, bool is_blocked) {
  return is_blocked && !cache_miss_front(lsu->l1d[request->l1_part]);
}

// Reads that were set aside come first when something has become free.
static void try_replays(Lsu *lsu, uint32_t *slots, Cycle now) {
  FailReason reason;
  while (*slots && !access_ring_is_empty(&lsu->replays)) {
    MemRequest *request = access_ring_front(&lsu->replays)->request;
    if (is_hopeless(lsu, request, lsu->replays_blocked)) return;
    --*slots;
    Try result = try_access(lsu, request, &reason, now);
    lsu->replays_blocked = result == TRY_REFUSED;
    if (result != TRY_WENT) return;
    access_ring_pop(&lsu->replays);
    lsu->has_replays = !access_ring_is_empty(&lsu->replays);
    lsu->is_blocked = false;  // there is room to set another aside
  }
}

// Moves a rejected read aside, so that later ones can proceed.
static bool set_aside(Lsu *lsu) {
  QueuedAccess head = *access_ring_front(&lsu->l1_queue);
  if (access_ring_is_full(&lsu->replays) || head.request->kind != REQUEST_READ) return false;
  access_ring_push(&lsu->replays, head);
  lsu->has_replays = true;
  access_ring_pop(&lsu->l1_queue);
  lsu->is_blocked = lsu->lacks_mshrs = false;
  lsu->stats.replays++;
  lsu->signals.did_something = true;
  return true;
}

// Whether the head has been rejected for want of an MSHR and there still is none: answers come in
// for some time before that changes. Prefetches and reads that were set aside look up before it, so
// that with these it has to be tried.
static bool lacks_mshrs(Lsu *lsu, const MemRequest *head) {
  if (!lsu->lacks_mshrs || lsu->policies || lsu->has_replays) return false;
  lsu->lacks_mshrs = cache_lacks_mshrs(lsu->l1d[head->l1_part]);
  lsu->is_blocked |= lsu->lacks_mshrs;
  return lsu->lacks_mshrs;
}

// A rejected head blocks later accesses.
__attribute__((noinline)) void lsu_look_up(Lsu *lsu, Cycle now) {
  // Replayed reads and prefetches compete for the same slots: replays first, prefetches last.
  uint32_t slots = lsu->config->l1_accesses_per_cycle;
  if (lsu->has_replays) try_replays(lsu, &slots, now);
  while (!access_ring_is_empty(&lsu->l1_queue)) {
    const QueuedAccess *head = access_ring_front(&lsu->l1_queue);
    if (head->ready > now) break;
    // Pieces of one transaction share its slot: sectors are a matter of tags, not of time.
    if (!head->continues && slots-- == 0) return;
    MemRequest *request = head->request;
    if (lsu->l1_queue.count > 1) __builtin_prefetch(access_ring_at(&lsu->l1_queue, 1)->request);
    if (lacks_mshrs(lsu, request) || is_hopeless(lsu, request, lsu->is_blocked)) {
      // Counted every cycle, tried or not, as GPGPU-Sim counts reservation failures.
      cache_count_fails(lsu->l1d[request->l1_part], lsu->block_reason, 1);
      return;
    }
    Try result = try_access(lsu, request, &lsu->block_reason, now);
    lsu->is_blocked = result == TRY_REFUSED;
    lsu->lacks_mshrs = lsu->is_blocked && lsu->block_reason == FAIL_mshr;
    if (lsu->is_blocked && set_aside(lsu)) continue;
    if (result != TRY_WENT) return;
    access_ring_pop(&lsu->l1_queue);
  }
  if (lsu->policies) l1d_policies_prefetch(lsu->policies, slots, now);
}

// One lookup's worth of a transaction goes into the queue. Stores are then
// complete for the instruction; only their warp counts the answers.
static void queue_piece(Lsu *lsu, Inflight *inflight, MemRequest *request, bool continues,
                        Cycle now) {
  if (request->kind == REQUEST_WRITE) {
    request->sectors_left = (uint8_t)(request->bytes / SECTOR_BYTES);
    lsu_await_stores(lsu, request);
  } else {
    inflight->outstanding++;
  }
  QueuedAccess queued = {
      .request = request, .ready = now + lsu->config->l1_latency_cycles, .continues = continues};
  access_ring_push(&lsu->l1_queue, queued);
}

// A transaction larger than the granularity of a lookup is split.
static void queue_access(Lsu *lsu, Inflight *inflight, RequestKind kind, bool continues,
                         Cycle now) {
  const Access *access = &inflight->accesses[inflight->access_next];
  uint32_t unit = lsu->l1_unit_bytes, sectors = unit / SECTOR_BYTES;
  inflight->outstanding--;  // its pieces count instead
  if (access->bytes <= unit) {
    queue_piece(lsu, inflight, lsu_make_request(lsu, inflight, kind, now), continues, now);
    return;
  }
  for (uint32_t first = 0; first < access->bytes / SECTOR_BYTES; first += sectors) {
    uint32_t within = (1u << sectors) - 1;
    if (!(access->touched >> first & within)) continue;
    MemRequest *request = lsu_make_request(lsu, inflight, kind, now);
    request->address += (uint64_t)first * SECTOR_BYTES;
    request->bytes = (uint16_t)unit;
    request->touched_sectors = (uint8_t)(access->touched >> first & within);
    request->full_sectors = (uint8_t)(access->full >> first & within);
    request->is_lowest = request->is_lowest && inflight->lane_address - request->address < unit;
    queue_piece(lsu, inflight, request, continues, now);
    continues = true;
  }
}

// Room for all pieces of a transaction or none: it enters the queue in one cycle.
bool lsu_queue_has_room(const Lsu *lsu, const Access *access) {
  uint32_t pieces = (access->bytes + lsu->l1_unit_bytes - 1) / lsu->l1_unit_bytes;
  return lsu->l1_queue.count + pieces <= lsu->l1_queue.capacity;
}

// Whether another line of its set has been looked up in this cycle; if not, the line of the
// transaction is.
static bool set_is_taken(const Lsu *lsu, const Access *access, uint64_t *lines) {
  uint32_t sets = lsu->config->l1_tag_sets;
  if (!sets) return false;
  uint64_t line = access->address / lsu->l1_line_bytes + 1, *last = &lines[line % sets];
  bool is_taken = *last && *last != line;
  *last = line;
  return is_taken;
}

void lsu_enter_l1d(Lsu *lsu, Inflight *inflight, Cycle now) {
  RequestKind kind = inflight->info->is_store ? REQUEST_WRITE : REQUEST_READ;
  uint32_t together = inflight->together ? inflight->together : 1;
  uint64_t lines[MAX_TAG_SETS] = {0};  // looked up in this cycle, by set; 0: none
  for (uint32_t i = 0; i < lsu->config->l1_accesses_per_cycle * together; i++) {
    if (inflight->access_next == inflight->access_count ||
        !lsu_queue_has_room(lsu, &inflight->accesses[inflight->access_next]))
      break;
    if (i % together == 0 && set_is_taken(lsu, &inflight->accesses[inflight->access_next], lines))
      break;
    queue_access(lsu, inflight, kind, i % together != 0, now);
    inflight->access_next++;
    lsu->stats.transactions++;
    lsu->signals.did_something = true;
  }
  if (inflight->access_next == inflight->access_count) lsu_leave_latch(lsu, inflight, now);
}
