// SPDX-License-Identifier: MIT
// One L2 slice: ROP delay line, input queue, tags, reply queue, and the queues to and from its
// DRAM channel. A DRAM request carries the MemRequest and, in its tag, the piece: nothing else
// has to be remembered while it is in flight.
#include "memory/l2_slice.h"

#include "memory/cache/cache_state.h"

enum { FIRST_ROP_ENTRIES = 64 };
// The tag of a DRAM request: sector, whether it is a write-back, slice.
enum { TAG_SECTOR_MASK = 0xff, TAG_WRITE_BACK = 1 << 8, TAG_SLICE_SHIFT = 16 };

bool l2_slice_is_write_back(const DramRequest *request) {
  return request->tag & TAG_WRITE_BACK;
}

uint32_t l2_slice_of(const DramRequest *request) {
  return request->tag >> TAG_SLICE_SHIFT;
}

// The reserve covers the pieces that one more packet may become in the input queue.
static uint32_t input_limit(const PartitionConfig *config) {
  uint32_t capacity = config->l2_input_queue, reserve = config->l2_input_reserve;
  return reserve < capacity ? capacity - reserve : 0;
}

Status l2_slice_init(L2Slice *slice, const PartitionConfig *config, const CacheConfig *l2,
                     const AddressMap *map, uint32_t index, Error *err) {
  *slice = (L2Slice){.config = *config, .map = map, .index = index, .wake = NEVER};
  slice->line_bytes = SECTOR_BYTES * MAX_SECTORS;
  slice->splits_sectors = config->split_sectors;
  slice->input_limit = input_limit(config);
  slice->last_line = UINT64_MAX;
  if (l2->enabled) {
    if (l2->sectored && !config->split_sectors)
      return error_set(err, ERR_CONFIG, "a sectored L2 requires split_sectors = true");
    if (l2->write_policy == WRITE_READ_ONLY)
      return error_set(
          err, ERR_CONFIG,
          "l2.write_policy = read_only: stores end in the L2; allowed: evict, through, back");
    if (cache_create(&slice->cache, l2, err) != OK) return error_prefix(err, "l2");
    slice->line_bytes = l2->line_bytes;
    slice->fetch_bytes = l2->sectored ? SECTOR_BYTES : l2->line_bytes;
    slice->on_fill = l2->allocate != ALLOCATE_ON_MISS;
  }
  rop_ring_init(&slice->rop, FIRST_ROP_ENTRIES);
  rop_ring_init(&slice->far, FIRST_ROP_ENTRIES);
  far_copies_init(&slice->copies, config->far_cycles ? config->far_copies_kb : 0,
                  slice->line_bytes);
  l2_input_ring_init(&slice->input, config->l2_input_queue);
  packet_ring_init(&slice->replies, config->l2_output_queue);
  dram_ring_init(&slice->to_dram, config->l2_to_dram_queue);
  dram_ring_init(&slice->from_dram, config->dram_to_l2_queue);
  return OK;
}

void l2_slice_clear(L2Slice *slice) {
  cache_destroy(slice->cache);
  rop_ring_clear(&slice->rop);
  rop_ring_clear(&slice->far);
  far_copies_clear(&slice->copies);
  l2_input_ring_clear(&slice->input);
  packet_ring_clear(&slice->replies);
  dram_ring_clear(&slice->to_dram);
  dram_ring_clear(&slice->from_dram);
  *slice = (L2Slice){0};
}

bool l2_slice_can_accept(const L2Slice *slice) {
  return slice->input.count <= slice->input_limit;
}

// Twice the room, in order.
static __attribute__((noinline, cold)) void grow_rop(RopRing *ring) {
  RopRing larger;
  rop_ring_init(&larger, ring->capacity * 2);
  while (ring->count) rop_ring_push(&larger, rop_ring_pop(ring));
  rop_ring_clear(ring);
  *ring = larger;
}

// A request that crosses a line is split even without sectors: its parts may have
// different outcomes.
static bool goes_whole(const L2Slice *slice, const MemRequest *request) {
  if (slice->splits_sectors) return false;
  uint64_t mask = ~(uint64_t)(slice->line_bytes - 1);
  uint64_t last = request->address + request->bytes - 1;
  return (request->address & mask) == (last & mask);
}

// ---- events

static AccessKind access_of(const MemRequest *request) {
  switch ((RequestKind)request->kind) {
    case REQUEST_WRITE: return ACCESS_STORE;
    case REQUEST_ATOMIC: return ACCESS_ATOMIC;
    case REQUEST_PREFETCH: return ACCESS_PREFETCH;
    default: return ACCESS_LOAD;
  }
}

// SPACE_GENERIC: an instruction.
static Space space_of(const MemRequest *request) {
  switch ((RequestKind)request->kind) {
    case REQUEST_INSTRUCTION: return SPACE_GENERIC;
    case REQUEST_CONSTANT: return SPACE_CONST;
    case REQUEST_TEXTURE: return SPACE_TEXTURE;
    default: return request->local ? SPACE_LOCAL : SPACE_GLOBAL;
  }
}

static MemEvent *emit(L2Slice *slice, EventKind kind, const MemRequest *request, Cycle now) {
  MemEvent *event = event_next(slice->events);
  *event = (MemEvent){.cycle = now,
                      .kind = (uint8_t)kind,
                      .channel = (uint16_t)slice->channel,
                      .slice = (uint16_t)slice->index,
                      .requester = {.sm = UINT16_MAX},
                      .access = ACCESS_STORE,
                      .space = SPACE_GLOBAL};
  if (!request) return event;
  event->requester = request->requester;
  event->access = (uint8_t)access_of(request);
  event->space = (uint8_t)space_of(request);
  return event;
}

// A fill is a load, whatever asked for it.
static void emit_dram(L2Slice *slice, const DramRequest *request, Cycle now) {
  MemEvent *event = emit(slice, EVENT_DRAM, request->owner, now);
  event->address = request->address;
  event->bytes = (uint16_t)request->bytes;
  event->access = request->write ? ACCESS_STORE : ACCESS_LOAD;
}

static void emit_arrival(L2Slice *slice, const MemRequest *request, Cycle now) {
  MemEvent *event = emit(slice, EVENT_L2, request, now);
  event->address = request->address;
  event->bytes = request->bytes;
}

// ----

// Whether a request crosses the link between the halves. A near half that has a copy answers
// itself; whoever writes drops the copies.
static bool crosses(L2Slice *slice, const MemRequest *request) {
  if (!slice->config.far_cycles) return false;
  bool is_far = (request->requester.sm >= slice->upper_sm) != slice->is_upper;
  bool writes = request->kind == REQUEST_WRITE || request->kind == REQUEST_ATOMIC;
  if (!is_far && !writes) return false;
  uint64_t line = request->address / slice->line_bytes;
  uint32_t first = (uint32_t)(request->address % slice->line_bytes / SECTOR_BYTES);
  uint8_t sectors = (uint8_t)(((1u << request->bytes / SECTOR_BYTES) - 1) << first);
  if (!writes) return !far_copies_read(&slice->copies, line, sectors);
  far_copies_drop(&slice->copies, line, sectors);
  return is_far;
}

void l2_slice_accept(L2Slice *slice, MemRequest *request, Cycle now) {
  uint32_t pieces = goes_whole(slice, request) ? 1 : request->bytes / SECTOR_BYTES;
  if (slice->events && event_is_wanted(slice->events, EVENT_L2)) emit_arrival(slice, request, now);
  // As in GPGPU-Sim, such writes fill none of their sectors.
  if (slice->config.upper_half_writes_partial && request->kind == REQUEST_WRITE &&
      request->bytes == 64 && request->address & 64)
    request->full_sectors = 0;
  // The ROP delay is a delay line, not a queue of the hardware: it must not exert
  // back-pressure, so it grows.
  bool is_far = crosses(slice, request);
  RopRing *ring = is_far ? &slice->far : &slice->rop;
  if (rop_ring_is_full(ring)) grow_rop(ring);
  Cycle ready = now + slice->config.rop_latency_cycles, answered = ready;
  if (is_far) ready += slice->config.far_cycles;
  rop_ring_push(ring, (RopEntry){.request = request,
                                 .ready = ready,
                                 .address = request->address,
                                 .cluster = request->requester.cluster,
                                 .pieces = (uint8_t)pieces});
  slice->stats.packets++;
  slice->stats.far += is_far;
  slice->stats.pieces += pieces;
  slice->pieces_inside += pieces;
  if (ready < slice->wake) slice->wake = ready;
  // At the earliest, for any request of the cluster that came first (expected.h).
  if (slice->expected) expected_enter(&slice->expected[request->requester.cluster], answered);
}

// One packet per sector, as GPGPU-Sim sends them, or one for the whole request where sectors
// are not split.
static void reply(L2Slice *slice, MemRequest *request, uint32_t sector, ServedBy served_by) {
  // Of several sectors the slowest decides where a request was served.
  if (request->served_by < served_by) request->served_by = (uint8_t)served_by;
  uint8_t answered = goes_whole(slice, request) ? SECTOR_ALL : (uint8_t)sector;
  uint32_t sectors = answered == SECTOR_ALL ? request->bytes / SECTOR_BYTES : 1;
  packet_ring_push(
      &slice->replies,
      (Packet){.request = request,
               .destination = request->requester.cluster,
               .sector = answered,
               .data_sectors = (uint8_t)(request->kind == REQUEST_WRITE ? 0 : sectors)});
  slice->stats.replies++;
}

Packet l2_slice_pop_reply(L2Slice *slice) {
  slice->pieces_inside--;
  Packet packet = packet_ring_pop(&slice->replies);
  if (slice->expected) slice->expected[packet.destination].loose--;
  return packet;
}

static MemLocation place_of(const L2Slice *slice, uint64_t address) {
  MemLocation place;
  address_map_locate(slice->map, address, &place);
  return place;
}

// Sectors of one line follow one another: most need not be located again.
// The L2 is indexed by the address within its channel: bits that select the channel would leave
// sets unused.
static uint64_t local_of(L2Slice *slice, uint64_t address) {
  uint64_t line = address / slice->line_bytes;
  if (line != slice->last_line) {
    slice->last_line = line;
    slice->last_local = place_of(slice, address).local;
  }
  return slice->last_local;
}

// The data port is busy with hits and write-backs, the fill port with fills: in GPGPU-Sim these
// are two counters, and a lookup waits for the first only.
static uint32_t port_cycles(const L2Slice *slice, uint32_t bytes) {
  uint32_t width = slice->config.l2_port_bytes;
  return bytes <= width ? bytes != 0 : (bytes + width - 1) / width;
}

// One filled request per tick: a fill that merged eight of them needs eight ticks.
static void hand_out(L2Slice *slice) {
  uint32_t sector;
  if (!slice->cache->mshrs.ready.count || packet_ring_is_full(&slice->replies)) return;
  MemRequest *request = cache_next_ready(slice->cache, &sector);
  reply(slice, request, sector, SERVED_BY_DRAM);
  slice->blocked = false;
}

// Only a cache that allocates on fill needs the index again.
static uint64_t fill_index(L2Slice *slice, const DramRequest *answer) {
  return slice->on_fill ? local_of(slice, answer->address) : 0;
}

static void fill(L2Slice *slice, const DramRequest *answer, Cycle now) {
  cache_fill(slice->cache, answer->entry, answer->address, fill_index(slice, answer), now);
  slice->fill_busy += port_cycles(slice, answer->bytes);
  slice->blocked = false;
}

// Fills go to the cache; replies to writes, and all replies without a cache, are forwarded.
static void take_from_dram(L2Slice *slice, Cycle now) {
  if (dram_ring_is_empty(&slice->from_dram)) return;
  const DramRequest *answer = dram_ring_front(&slice->from_dram);
  if (slice->cache && !answer->write) {
    if (slice->fill_busy) return;
    fill(slice, answer, now);
  } else {
    if (packet_ring_is_full(&slice->replies)) return;
    reply(slice, answer->owner, answer->tag & TAG_SECTOR_MASK, SERVED_BY_DRAM);
  }
  dram_ring_pop(&slice->from_dram);
}

static void push_to_dram(L2Slice *slice, DramRequest request, Cycle now) {
  if (slice->events && event_is_wanted(slice->events, EVENT_DRAM)) emit_dram(slice, &request, now);
  MemLocation place = place_of(slice, request.address);
  request.bank = (uint8_t)place.bank;
  request.row = place.row;
  request.tag |= slice->index << TAG_SLICE_SHIFT;
  dram_ring_push(&slice->to_dram, request);
}

// The location in DRAM is found here, once per request: banks and rows are not needed before.
static void send_miss(L2Slice *slice, Cycle now) {
  if (!slice->cache->misses.count || dram_ring_is_full(&slice->to_dram)) return;
  const CacheMiss *miss = cache_miss_front(slice->cache);
  push_to_dram(slice,
               (DramRequest){.owner = miss->request,
                             .address = miss->address,
                             .tag = miss->write_back ? TAG_WRITE_BACK : miss->request_sector,
                             .entry = miss->entry,
                             .bytes = (uint16_t)miss->bytes,
                             .write = miss->write},
               now);
  cache_miss_pop(slice->cache);
  slice->blocked = false;
}

static uint32_t piece_bytes(const L2Slice *slice, const MemRequest *request) {
  return goes_whole(slice, request) ? request->bytes : SECTOR_BYTES;
}

// An atomic on a word is one operation per cycle; one on all words of a sector takes longer.
static void perform_atomic(L2Slice *slice, const L2Input *input) {
  if (!(input->request->full_sectors >> input->sector & 1)) return;
  slice->atomic_debt += slice->config.l2_atomic_cycles - 1;
  uint32_t whole = (uint32_t)slice->atomic_debt;
  slice->port_busy += whole;
  slice->atomic_debt -= whole;
}

// In order: a request that cannot be served blocks those behind it (head-of-line blocking).
static void look_up(L2Slice *slice, const L2Input *input, Cycle now) {
  MemRequest *request = input->request;
  // Until something changes (a fill, a free MSHR, a sent miss), the lookup would fail
  // for the same reason; counting is enough.
  if (slice->blocked) {
    cache_count_fails(slice->cache, slice->reason, 1);
    slice->stats.wait_cache++;
    return;
  }
  CacheResult result =
      cache_access(slice->cache, request, input->sector, input->local, now, &slice->reason);
  if (result == CACHE_FAIL) {
    slice->blocked = true;
    slice->stats.wait_cache++;
    return;
  }
  slice->stats.lookups[request->kind]++;
  const CacheEffects *effects = cache_effects(slice->cache);
  slice->stats.misses[request->kind] += effects->outcome == OUTCOME_MISS;
  if (result == CACHE_HIT) slice->port_busy += port_cycles(slice, piece_bytes(slice, request));
  if (request->kind == REQUEST_ATOMIC) perform_atomic(slice, input);
  for (uint32_t i = 0; i < effects->eviction_count; i++)
    slice->port_busy += port_cycles(slice, effects->evictions[i].written_bytes);
  if (result == CACHE_HIT || result == CACHE_WRITE_KEPT)
    reply(slice, request, input->sector, SERVED_BY_L2);
  l2_input_ring_pop(&slice->input);
}

// Without an L2 every sector is a DRAM request.
static void pass_on(L2Slice *slice, const L2Input *input, Cycle now) {
  MemRequest *request = input->request;
  slice->stats.lookups[request->kind]++;
  push_to_dram(slice,
               (DramRequest){.owner = request,
                             .address = request->address + (uint64_t)input->sector * SECTOR_BYTES,
                             .tag = input->sector,
                             .bytes = (uint16_t)piece_bytes(slice, request),
                             .write = request->kind == REQUEST_WRITE},
               now);
  l2_input_ring_pop(&slice->input);
}

static void take_input(L2Slice *slice, Cycle now) {
  if (l2_input_ring_is_empty(&slice->input)) return;
  L2Input input = *l2_input_ring_front(&slice->input);
  // In GPGPU-Sim's order: a lookup is attempted only if a miss, a write-back and a reply
  // would find space, irrespective of its outcome.
  if (dram_ring_is_full(&slice->to_dram))
    slice->stats.wait_dram_queue++;
  else if (!slice->cache)
    pass_on(slice, &input, now);
  else if (packet_ring_is_full(&slice->replies))
    slice->stats.wait_reply_queue++;
  else if (slice->port_busy)
    slice->stats.wait_port++;
  else
    look_up(slice, &input, now);
}

// The delay line whose first request is ready first, or NULL.
static RopRing *first_rop(L2Slice *slice) {
  bool near = !rop_ring_is_empty(&slice->rop), far = !rop_ring_is_empty(&slice->far);
  if (!near || !far) return near ? &slice->rop : far ? &slice->far : NULL;
  bool is_near = rop_ring_front(&slice->rop)->ready <= rop_ring_front(&slice->far)->ready;
  return is_near ? &slice->rop : &slice->far;
}

// One sector per tick enters the input queue: a 128-byte request takes four.
static void leave_rop(L2Slice *slice, Cycle now) {
  RopRing *ring = first_rop(slice);
  if (!ring || l2_input_ring_is_full(&slice->input)) return;
  RopEntry *entry = rop_ring_front(ring);
  if (now < entry->ready) return;
  if (slice->expected) {
    Expected *expected = &slice->expected[entry->cluster];
    if (!entry->next) expected_begin(expected);
    expected->loose++;
  }
  uint64_t address = entry->address + (uint64_t)entry->next * SECTOR_BYTES;
  uint64_t local = slice->cache ? local_of(slice, address) : 0;
  l2_input_ring_push(&slice->input, (L2Input){entry->request, local, entry->next});
  __builtin_prefetch(entry->request);  // the lookup is in another tick
  if (++entry->next == entry->pieces) rop_ring_pop(ring);
}

// Whether a tick does anything, waiting in the ROP FIFO aside.
static bool has_work(const L2Slice *slice) {
  if (slice->from_dram.count) return true;
  return slice->cache && cache_has_work(slice->cache);
}

static Cycle next_rop(L2Slice *slice) {
  RopRing *ring = first_rop(slice);
  if (!ring || l2_input_ring_is_full(&slice->input)) return NEVER;
  return rop_ring_front(ring)->ready;
}

static void ports_pass(L2Slice *slice, Cycle ticks) {
  if (!(slice->port_busy | slice->fill_busy)) return;
  slice->port_busy -= (uint32_t)cycle_earlier(slice->port_busy, ticks);
  slice->fill_busy -= (uint32_t)cycle_earlier(slice->fill_busy, ticks);
}

void l2_slice_tick(L2Slice *slice, Cycle now) {
  if (now < slice->wake) return;
  // From the output to the input, so that an entry freed in this tick can be used in it
  // only by stages before it, as with pipeline registers.
  if (slice->cache) hand_out(slice);
  take_from_dram(slice, now);
  ports_pass(slice, 1);
  if (slice->cache) send_miss(slice, now);
  take_input(slice, now);
  leave_rop(slice, now);
  bool busy = has_work(slice) || slice->input.count || slice->port_busy || slice->fill_busy;
  slice->wake = busy ? 0 : next_rop(slice);
}

void l2_slice_take_dram(L2Slice *slice, const DramRequest *answer) {
  dram_ring_push(&slice->from_dram, *answer);
  if (slice->cache && !answer->write)
    cache_expect_fill(slice->cache, answer->entry, answer->address);
  else
    __builtin_prefetch(answer->owner);
  slice->wake = 0;
}

Cycle l2_slice_next_event(L2Slice *slice, Cycle now) {
  if (has_work(slice) || slice->replies.count) return now;
  if (slice->input.count && !slice->blocked) return now;
  Cycle rop = next_rop(slice);
  return rop > now ? rop : now;
}

// A blocked lookup has found the port free, and nothing took it since.
void l2_slice_skip(L2Slice *slice, Cycle ticks) {
  ports_pass(slice, ticks);
  if (!slice->blocked) return;
  cache_count_fails(slice->cache, slice->reason, ticks);
  slice->stats.wait_cache += ticks;
}

// Dirty lines that have to go leave no traffic.
void l2_slice_warm(L2Slice *slice, uint64_t address, bool is_write, bool is_full, Cycle now) {
  if (slice->cache)
    cache_warm(slice->cache, address, local_of(slice, address), is_write, is_full, now);
}

bool l2_slice_holds(L2Slice *slice, uint64_t address) {
  return slice->cache && cache_probe(slice->cache, address, local_of(slice, address)) == CACHE_HIT;
}

void l2_slice_flush(L2Slice *slice) {
  if (slice->cache) cache_flush(slice->cache);
  far_copies_drop_all(&slice->copies);
  slice->blocked = false;
}

bool l2_slice_is_idle(const L2Slice *slice) {
  return slice->pieces_inside == 0 && slice->to_dram.count == 0 && slice->from_dram.count == 0 &&
         (!slice->cache || cache_is_quiet(slice->cache));
}
