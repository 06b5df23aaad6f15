// SPDX-License-Identifier: MIT
// A channel: L2 slices, the credits between them and the DRAM, and its latency.
// Requests that hold a credit always find room in the latency ring, which has one
// entry per credit; only the DRAM queue behind it can exert back-pressure.
#include "memory/partition.h"

#include <assert.h>

#include "base/memory.h"
#include "memory/partition_queue.h"

// What every tick touches comes first.
struct Partition {
  // state
  _Alignas(64) Cycle l2_wake;  // before this no slice does anything
  Cycle latency_ready;         // when the head of `latency` is, or NEVER
  uint32_t reply_mask;         // bit s: slice s has replies
  uint32_t sending;            // bit s: slice s has requests for the DRAM
  Cycle idle_ticks;            // DRAM ticks that passed and that the channel does not know of yet
  Cycle quiet_ticks;  // ... at most so many, in which it would only count; NEVER: it is idle
  uint32_t in_dram;   // requests it was given and has not given back
  uint32_t slice_count;
  L2Slice *slices;
  Dram *dram;
  LatencyRing latency;
  uint32_t last_slice;   // the one that sent last
  uint32_t shared_used;  // credits
  uint32_t private_used[PARTITION_MAX_SLICES];
  // stats
  PartitionStats stats;
  // config
  PartitionConfig config;
  const AddressMap *map;
};

static Status check(const PartitionConfig *config, uint32_t slices, Error *err) {
  if (slices < 1 || slices > PARTITION_MAX_SLICES)
    return error_set(err, ERR_CONFIG, "%u L2 slices per channel: must be 1..%d", slices,
                     PARTITION_MAX_SLICES);
  if (config->dram_shared_credits == 0 && config->dram_private_credits == 0)
    return error_set(err, ERR_CONFIG, "without credits no request would ever reach the DRAM");
  return OK;
}

static Status create_parts(Partition *partition, const CacheConfig *l2, const DramConfig *dram,
                           Error *err) {
  const PartitionConfig *config = &partition->config;
  TRY(dram_create(&partition->dram, dram, err));
  for (uint32_t i = 0; i < partition->slice_count; i++)
    TRY(l2_slice_init(&partition->slices[i], config, l2, partition->map, i, err));
  return OK;
}

Status partition_create(Partition **partition, const PartitionConfig *config, const CacheConfig *l2,
                        const DramConfig *dram, uint32_t slices, const AddressMap *map,
                        Error *err) {
  *partition = NULL;
  TRY(check(config, slices, err));
  Partition *made = memory_alloc_aligned(sizeof *made, _Alignof(Partition));
  *made = (Partition){.config = *config, .slice_count = slices, .map = map, .l2_wake = NEVER};
  made->latency_ready = made->quiet_ticks = NEVER;
  made->slices = memory_alloc_aligned(slices * sizeof *made->slices, _Alignof(L2Slice));
  made->last_slice = slices - 1;
  latency_ring_init(&made->latency,
                    config->dram_shared_credits + slices * config->dram_private_credits);
  Status status = create_parts(made, l2, dram, err);
  if (status == OK)
    *partition = made;
  else
    partition_destroy(made);
  return status;
}

void partition_destroy(Partition *partition) {
  if (!partition) return;
  for (uint32_t i = 0; i < partition->slice_count; i++) l2_slice_clear(&partition->slices[i]);
  if (partition->dram) dram_destroy(partition->dram);
  latency_ring_clear(&partition->latency);
  memory_free(partition->slices);
  memory_free(partition);
}

void partition_watch_answers(Partition *partition, Expected *by_cluster) {
  for (uint32_t i = 0; i < partition->slice_count; i++) partition->slices[i].expected = by_cluster;
}

void partition_set_half(Partition *partition, bool is_upper, uint32_t upper_sm) {
  for (uint32_t i = 0; i < partition->slice_count; i++) {
    partition->slices[i].is_upper = is_upper;
    partition->slices[i].upper_sm = upper_sm;
  }
}

void partition_observe(Partition *partition, EventBuffer *events, uint32_t channel) {
  for (uint32_t i = 0; i < partition->slice_count; i++) {
    partition->slices[i].events = events;
    partition->slices[i].channel = channel;
  }
}

bool partition_can_accept(const Partition *partition, uint32_t slice) {
  return l2_slice_can_accept(&partition->slices[slice]);
}

void partition_accept(Partition *partition, uint32_t slice, Packet packet, Cycle now) {
  l2_slice_accept(&partition->slices[slice], packet.request, now);
  partition->l2_wake = cycle_earlier(partition->l2_wake, partition->slices[slice].wake);
}

void partition_l2_tick(Partition *partition, Cycle now) {
  // Slices are skipped until one can act; every path that gives a slice work lowers
  // l2_wake. Masks stay valid meanwhile: only ticks and pops change the queues.
  if (now < partition->l2_wake) return;
  Cycle wake = NEVER;
  uint32_t replies = 0, sending = 0;
  for (uint32_t i = 0; i < partition->slice_count; i++) {
    L2Slice *slice = &partition->slices[i];
    l2_slice_tick(slice, now);
    wake = cycle_earlier(wake, slice->wake);
    replies |= (uint32_t)(slice->replies.count != 0) << i;
    sending |= (uint32_t)(slice->to_dram.count != 0) << i;
  }
  partition->l2_wake = wake;
  partition->reply_mask = replies;
  partition->sending = sending;
}

static bool has_credit(const Partition *partition, uint32_t slice) {
  return partition->private_used[slice] < partition->config.dram_private_credits ||
         partition->shared_used < partition->config.dram_shared_credits;
}

// Private credits first, so that a slice leaves the shared ones to slices that
// have none of their own left. They are returned in the same order.
static void borrow_credit(Partition *partition, uint32_t slice) {
  if (partition->private_used[slice] < partition->config.dram_private_credits)
    partition->private_used[slice]++;
  else
    partition->shared_used++;
}

static void return_credit(Partition *partition, uint32_t slice) {
  if (partition->private_used[slice])
    partition->private_used[slice]--;
  else
    partition->shared_used--;
}

// Write-backs that are done end here; of the rest one goes to its slice.
static void take_answers(Partition *partition) {
  for (const DramRequest *answer; (answer = dram_front(partition->dram));) {
    uint32_t slice = l2_slice_of(answer);
    bool dropped = l2_slice_is_write_back(answer);
    if (!dropped && dram_ring_is_full(&partition->slices[slice].from_dram)) return;
    if (!dropped) l2_slice_take_dram(&partition->slices[slice], answer);
    dram_pop(partition->dram);
    partition->in_dram--;
    return_credit(partition, slice);
    if (dropped) continue;
    // One reply per DRAM tick enters a slice; write-backs have no receiver and cost none.
    partition->l2_wake = 0;
    return;
  }
}

static bool can_send(Partition *partition, uint32_t slice) {
  if (!has_credit(partition, slice)) {
    partition->stats.wait_credit++;
    return false;
  }
  // A request is sent only if its reply would find room now: a full return queue
  // stops the sender rather than the DRAM, which serves all slices.
  bool has_room = !dram_ring_is_full(&partition->slices[slice].from_dram);
  partition->stats.wait_room += !has_room;
  return has_room;
}

static void send(Partition *partition, uint32_t slice, Cycle now) {
  DramRing *ring = &partition->slices[slice].to_dram;
  LatencyEntry entry = {*dram_ring_front(ring), now + partition->config.dram_latency_cycles};
  if (latency_ring_is_empty(&partition->latency)) partition->latency_ready = entry.ready;
  latency_ring_push(&partition->latency, entry);
  dram_ring_pop(ring);
  if (dram_ring_is_empty(ring)) partition->sending &= ~(1u << slice);
  borrow_credit(partition, slice);
  partition->last_slice = slice;
  partition->stats.dram_requests++;
}

// One request of one slice, the slices taking turns, starts its way to the
// DRAM: first those behind the one that sent last, then those up to it.
static void arbitrate(Partition *partition, Cycle now) {
  uint32_t upper = (uint32_t)((uint64_t)UINT32_MAX << (partition->last_slice + 1));
  uint32_t rounds[] = {partition->sending & upper, partition->sending & ~upper};
  for (int round = 0; round < 2; round++)
    for (uint32_t left = rounds[round]; left; left &= left - 1) {
      uint32_t slice = (uint32_t)__builtin_ctz(left);
      if (can_send(partition, slice)) {
        send(partition, slice, now);
        return;
      }
    }
}

// Such ticks change nothing but counters, so they are added in one call before the next that does.
static void catch_up(Partition *partition) {
  if (!partition->idle_ticks) return;
  dram_skip(partition->dram, partition->idle_ticks);
  if (partition->quiet_ticks != NEVER) partition->quiet_ticks -= partition->idle_ticks;
  partition->idle_ticks = 0;
}

static void enter_dram(Partition *partition) {
  LatencyRing *latency = &partition->latency;
  if (!dram_can_accept(partition->dram, latency_ring_front(latency)->request.write)) {
    partition->stats.wait_dram++;
    return;
  }
  catch_up(partition);
  dram_accept(partition->dram, latency_ring_front(latency)->request);
  partition->quiet_ticks = dram_next_event(partition->dram);
  partition->in_dram++;
  latency_ring_pop(latency);
  partition->latency_ready = latency->count ? latency_ring_front(latency)->ready : NEVER;
}

// An oracle: DRAM answers all requests in the tick in which they are sent. Write-backs end here.
static void answer_at_once(Partition *partition) {
  for (uint32_t left = partition->sending; left; left &= left - 1) {
    L2Slice *slice = &partition->slices[__builtin_ctz(left)];
    while (slice->to_dram.count && !dram_ring_is_full(&slice->from_dram)) {
      DramRequest request = dram_ring_pop(&slice->to_dram);
      if (!l2_slice_is_write_back(&request)) l2_slice_take_dram(slice, &request);
      partition->stats.dram_requests++;
    }
    if (dram_ring_is_empty(&slice->to_dram)) partition->sending &= ~(left & -left);
  }
  partition->l2_wake = 0;
}

// Answers leave before the tick, so that one finished in this tick waits for the
// next, as a request that enters does.
static void tick_dram(Partition *partition) {
  catch_up(partition);
  take_answers(partition);
  dram_tick(partition->dram);
  partition->quiet_ticks = dram_next_event(partition->dram);
}

// A DRAM that waits accounts for its ticks before it does something. A request that
// enters at the end of a tick is seen by the next.
void partition_dram_tick(Partition *partition, Cycle now) {
  if (partition->idle_ticks < partition->quiet_ticks)
    partition->idle_ticks++;
  else
    tick_dram(partition);
  if (partition->sending) {
    if (partition->config.instant_dram)
      answer_at_once(partition);
    else
      arbitrate(partition, now);
  }
  if (now >= partition->latency_ready) enter_dram(partition);
}

bool partition_is_busy(const Partition *partition, Cycle now) {
  return partition->in_dram || partition->sending || partition->reply_mask ||
         now >= partition->l2_wake;
}

uint32_t partition_reply_mask(const Partition *partition) {
  return partition->reply_mask;
}

const Packet *partition_reply_front(const Partition *partition, uint32_t slice) {
  const PacketRing *replies = &partition->slices[slice].replies;
  return replies->count ? packet_ring_front(replies) : NULL;
}

Packet partition_reply_pop(Partition *partition, uint32_t slice) {
  L2Slice *from = &partition->slices[slice];
  Packet reply = l2_slice_pop_reply(from);
  if (!from->replies.count) partition->reply_mask &= ~(1u << slice);
  return reply;
}

uint32_t partition_reply_bytes(const Packet *packet, uint32_t header_bytes) {
  return header_bytes + packet->data_sectors * SECTOR_BYTES;
}

// Weaker than idle: write-backs may still be in the DRAM when a kernel completes.
bool partition_has_answered(const Partition *partition) {
  for (uint32_t i = 0; i < partition->slice_count; i++)
    if (partition->slices[i].pieces_inside) return false;
  return true;
}

bool partition_is_idle(const Partition *partition) {
  for (uint32_t i = 0; i < partition->slice_count; i++)
    if (!l2_slice_is_idle(&partition->slices[i])) return false;
  return partition->latency.count == 0 && partition->in_dram == 0;
}

Cycle partition_next_event(const Partition *partition, Cycle now) {
  Cycle next = NEVER;
  for (uint32_t i = 0; i < partition->slice_count; i++)
    next = cycle_earlier(next, l2_slice_next_event(&partition->slices[i], now));
  return partition->latency_ready > now ? cycle_earlier(next, partition->latency_ready) : next;
}

// As a number of DRAM ticks that may be skipped; partition_next_event() returns a cycle.
Cycle partition_next_dram_event(const Partition *partition, Cycle now) {
  if (partition->sending) return 0;
  if (now >= partition->latency_ready) return 0;
  if (partition->quiet_ticks == NEVER) return NEVER;
  return partition->quiet_ticks - partition->idle_ticks;
}

void partition_skip(Partition *partition, Cycle l2_ticks) {
  for (uint32_t i = 0; i < partition->slice_count; i++)
    l2_slice_skip(&partition->slices[i], l2_ticks);
}

void partition_dram_skip(Partition *partition, Cycle dram_ticks) {
  partition->idle_ticks += dram_ticks;
}

void partition_flush(Partition *partition) {
  for (uint32_t i = 0; i < partition->slice_count; i++) l2_slice_flush(&partition->slices[i]);
}

void partition_warm(Partition *partition, uint32_t slice, uint64_t address, bool is_write,
                    bool is_full, Cycle now) {
  l2_slice_warm(&partition->slices[slice], address, is_write, is_full, now);
}

bool partition_holds(Partition *partition, uint32_t slice, uint64_t address) {
  return l2_slice_holds(&partition->slices[slice], address);
}

const CacheStats *partition_l2_stats(const Partition *partition, uint32_t slice) {
  const Cache *cache = partition->slices[slice].cache;
  return cache ? cache_stats_of(cache) : NULL;
}

const L2SliceStats *partition_slice_stats(const Partition *partition, uint32_t slice) {
  return &partition->slices[slice].stats;
}

const DramStats *partition_dram_stats(Partition *partition) {
  catch_up(partition);
  return dram_stats_of(partition->dram);
}

const PartitionStats *partition_stats_of(const Partition *partition) {
  return &partition->stats;
}
